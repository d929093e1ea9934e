# Adapter for RubyLLM: `ask`, which runs the tools, with a block for a stream.

require 'ruby_llm'
require_relative 'shared/serving'

# Return a configuration with a base URL, as the guide to OpenAI-compatible servers shows.
def context_at(base_url)
  @contexts ||= {}
  @contexts[base_url] ||= RubyLLM.context do |config|
    config.openai_api_base = base_url
    config.openai_api_key = KEY
    config.max_retries = 0
    config.logger = Logger.new($stderr, level: Logger::FATAL)
  end
end

# Return a tool that adds its calls to `executed_calls`.
def tool_of(function, executed_calls)
  tool = Class.new(RubyLLM::Tool) do
    description function[:description]
    params function[:parameters]
    define_method(:name) { function[:name] }
    define_method(:execute) do |**arguments|
      executed_calls << describe_call(function[:name], arguments)
      'done'
    end
  end
  tool.new
end

# Send requests with `ask`. A block receives the chunks of a stream, and the message has what they add up to.
ask = lambda do |job|
  executed_calls = []
  chat = context_at(job[:base_url]).chat(model: MODEL, provider: :openai, assume_model_exists: true)
  chat.with_tools(*(job[:tools] || []).map { |tool| tool_of(tool[:function], executed_calls) })
  message = job[:stream] ? chat.ask(QUESTION) { |_chunk| nil } : chat.ask(QUESTION)
  result = { text: message.content, calls: executed_calls }
  next result if chat.messages.length > 2 # the message is not the first answer

  result.merge(reasoning: message.thinking&.text, usage: token_counts(message))
end

# Return the token counts of a message. RubyLLM counts tokens of the cache beside the input, and OpenAI counts them in it.
def token_counts(message)
  return unless message.input_tokens || message.output_tokens

  of_cache = message.cached_tokens.to_i + message.cache_creation_tokens.to_i
  { prompt_tokens: message.input_tokens && (message.input_tokens + of_cache), completion_tokens: message.output_tokens }
end

serve('ask' => ask)
