<?php
/** Adapter for the PHP AI Client of WordPress: a model as plugins define it for servers that are compatible with OpenAI. */

declare(strict_types=1);

require __DIR__ . '/shared/serving.php';
require '/usr/share/wordpress/wp-includes/php-ai-client/autoload.php';

use WordPress\AiClient\Messages\DTO\MessagePart;
use WordPress\AiClient\Messages\DTO\UserMessage;
use WordPress\AiClient\Providers\DTO\ProviderMetadata;
use WordPress\AiClient\Providers\Enums\ProviderTypeEnum;
use WordPress\AiClient\Providers\Http\Contracts\HttpTransporterInterface;
use WordPress\AiClient\Providers\Http\DTO\ApiKeyRequestAuthentication;
use WordPress\AiClient\Providers\Http\DTO\Request;
use WordPress\AiClient\Providers\Http\DTO\RequestOptions;
use WordPress\AiClient\Providers\Http\DTO\Response;
use WordPress\AiClient\Providers\Http\Enums\HttpMethodEnum;
use WordPress\AiClient\Providers\Models\DTO\ModelConfig;
use WordPress\AiClient\Providers\Models\DTO\ModelMetadata;
use WordPress\AiClient\Providers\Models\Enums\CapabilityEnum;
use WordPress\AiClient\Providers\OpenAiCompatibleImplementation\AbstractOpenAiCompatibleTextGenerationModel;
use WordPress\AiClient\Results\DTO\Candidate;
use WordPress\AiClient\Results\DTO\TokenUsage;
use WordPress\AiClient\Tools\DTO\FunctionDeclaration;

/** The model of a provider with a base URL. */
final class ServerModel extends AbstractOpenAiCompatibleTextGenerationModel
{
    public function __construct(private readonly string $baseUrl)
    {
        $metadata = new ModelMetadata(MODEL, MODEL, [CapabilityEnum::textGeneration()], []);
        parent::__construct($metadata, new ProviderMetadata('server', 'Server', ProviderTypeEnum::server()));
    }

    protected function createRequest(HttpMethodEnum $method, string $path, array $headers = [], $data = null): Request
    {
        return new Request($method, "{$this->baseUrl}/{$path}", $headers, $data);
    }
}

/** Sends requests with PHP itself. In WordPress, its own HTTP client does that. */
final class StreamTransporter implements HttpTransporterInterface
{
    public function send(Request $request, ?RequestOptions $options = null): Response
    {
        $names = array_keys($request->getHeaders());
        $http = [
            'method' => $request->getMethod()->value,
            'header' => array_map(fn ($name) => "{$name}: {$request->getHeaderAsString($name)}", $names),
            'content' => $request->getBody(),
            'ignore_errors' => true,
        ];
        $body = file_get_contents($request->getUri(), false, stream_context_create(['http' => $http]));
        return new Response((int) explode(' ', http_get_last_response_headers()[0])[1], [], $body);
    }
}

/** Send a request with the tools of a job. */
function generate(array $job): array
{
    $declare = fn ($tool) => new FunctionDeclaration(...array_diff_key($tool['function'], ['strict' => true]));
    $config = new ModelConfig();
    if ($job['tools']) $config->setFunctionDeclarations(array_map($declare, $job['tools']));
    if ($job['n'] > 1) $config->setCandidateCount($job['n']);
    $model = new ServerModel($job['base_url']);
    $model->setConfig($config);
    $model->setHttpTransporter(new StreamTransporter());
    $model->setRequestAuthentication(new ApiKeyRequestAuthentication(KEY));
    $result = $model->generateTextResult([new UserMessage([new MessagePart(QUESTION)])]);
    $choices = array_map(result_of_candidate(...), $result->getCandidates());
    $usage = ['usage' => token_counts($result->getTokenUsage())];
    return [...$choices[0], ...$usage, ...(count($choices) > 1 ? ['choices' => $choices] : [])];
}

function result_of_candidate(Candidate $candidate): array
{
    $result = ['text' => null, 'reasoning' => null, 'calls' => [], 'finish_reason' => $candidate->getFinishReason()->value];
    foreach ($candidate->getMessage()->getParts() as $part) {
        if ($call = $part->getFunctionCall()) $result['calls'][] = describe_call($call->getName(), $call->getArgs());
        else $result[$part->getChannel()->isThought() ? 'reasoning' : 'text'] .= $part->getText();
    }
    return $result;
}

/** Return token counts. The client counts 0 tokens in an answer without usage. */
function token_counts(TokenUsage $usage): ?array
{
    $counts = ['prompt_tokens' => $usage->getPromptTokens(), 'completion_tokens' => $usage->getCompletionTokens()];
    return array_filter($counts) ? $counts : null;
}

serve(['generate' => generate(...)]);
