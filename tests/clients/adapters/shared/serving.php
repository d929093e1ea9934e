<?php
/** Run the jobs of an adapter in PHP: they are lines of JSON on standard input, their results on standard output. */

declare(strict_types=1);

const KEY = 'sk-test';
const MODEL = 'gpt-4.1-mini';
const QUESTION = 'What is the weather like in Zürich?';

/** Return a call in the form in which the harness compares it. In PHP, an empty object that is decoded is an empty array. */
function describe_call(?string $name, mixed $arguments): array
{
    return ['name' => $name, 'arguments' => is_array($arguments) ? json_encode($arguments ?: new stdClass()) : $arguments];
}

/** Run the jobs on standard input, one on each line, until it ends. Warnings of PHP go to standard error. */
function serve(array $paths): void
{
    ini_set('display_errors', 'stderr');
    while (($line = fgets(STDIN)) !== false) {
        $job = json_decode($line, true);
        try {
            $result = ['id' => $job['id'], 'ok' => $paths[$job['path']]($job)];
        } catch (Throwable $error) {
            $class = (new ReflectionClass($error))->getShortName();
            $result = ['id' => $job['id'], 'raised' => ['class' => $class, 'message' => $error->getMessage()]];
        }
        fwrite(STDOUT, json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
    }
}
