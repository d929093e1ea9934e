# Run the jobs of an adapter in Ruby: they are lines of JSON on standard input, their results on standard output.

require 'json'

KEY = 'sk-test'
MODEL = 'gpt-4.1-mini'
QUESTION = 'What is the weather like in Zürich?'

# Return a call in the form in which the harness compares it. Arguments that are decoded are encoded again.
def describe_call(name, arguments)
  { name:, arguments: arguments.is_a?(Hash) || arguments.is_a?(Array) ? JSON.generate(arguments) : arguments }
end

# Run the jobs on standard input, one on each line, until it ends. Send all other output to standard error.
def serve(paths)
  out = $stdout.dup
  $stdout.reopen($stderr)
  $stdin.each_line do |line|
    job = JSON.parse(line, symbolize_names: true)
    result = begin
      { id: job[:id], ok: paths.fetch(job[:path]).call(job) }
    rescue StandardError => e
      { id: job[:id], raised: { class: e.class.name, message: e.message.scrub } }
    end
    out.puts(JSON.generate(result))
    out.flush
  end
end
