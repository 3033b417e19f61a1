import { expect, test } from 'vitest'
import { refusal } from '../failure.ts'
import type { Meaning } from './rows.ts'
import { asErrorBody } from './said.ts'

const provider = { name: 'P', host: 'api.test', keyName: 'P_KEY', urlName: 'P_URL', secrets: ['sk-1'] }

/** A refusal as it comes over HTTP. */
function refusedWith(status: number, sent: unknown, headers: Record<string, string> = {}, host = provider.host) {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const { error } = JSON.parse(asErrorBody(text))
  const body = typeof error === 'string' ? { message: error } : error
  return refusal({ ...provider, host }, { status, body, code: body.code, headers: new Headers(headers) })
}
const openAi = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } })

/** Bodies as the servers send them. */
const wordings: readonly (readonly [server: string, status: number, sent: unknown, means: Meaning | undefined])[] = [
  [
    'OpenAI',
    400,
    openAi("This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.", {
      code: 'context_length_exceeded',
    }),
    'too_long',
  ],
  [
    'OpenAI responses',
    400,
    openAi('Your input exceeds the context window of this model. Please adjust your input and try again.'),
    'too_long',
  ],
  [
    'OpenAI 272k',
    400,
    openAi(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.',
    ),
    'too_long',
  ],
  [
    'Anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
    'too_long',
  ],
  [
    'Anthropic output',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
    'too_long',
  ],
  [
    'Anthropic bytes',
    413,
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    'too_long',
  ],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    'too_long',
  ],
  [
    'Vertex',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count is 1196265 but model only supports up to 1048576.',
        status: 'INVALID_ARGUMENT',
      },
    },
    'too_long',
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    'too_long',
  ],
  [
    'Kimi',
    400,
    openAi('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
    'too_long',
  ],
  [
    'Copilot',
    400,
    {
      error: {
        message: 'prompt token count of 140000 exceeds the limit of 128000',
        code: 'model_max_prompt_tokens_exceeded',
      },
    },
    'too_long',
  ],
  [
    'Poolside',
    400,
    openAi('Input length 140000 exceeds the maximum allowed input length of 131072 tokens.'),
    'too_long',
  ],
  [
    'Qwen',
    400,
    openAi('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', {
      code: 'invalid_parameter_error',
    }),
    'too_long',
  ],
  [
    'MiniMax',
    400,
    { error: { message: 'invalid params, context window exceeds limit (2013)', type: 'bad_request_error' } },
    'too_long',
  ],
  [
    'Groq',
    400,
    openAi('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
    'too_long',
  ],
  [
    'Cerebras',
    400,
    openAi('Please reduce the length of the messages or completion. Current length is 12161 while limit is 8192'),
    'too_long',
  ],
  [
    'Together',
    400,
    openAi("The input (516368 tokens) is longer than the model's context length (262144 tokens)."),
    'too_long',
  ],
  [
    'Together new',
    422,
    openAi(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
    ),
    'too_long',
  ],
  [
    'TGI',
    422,
    {
      error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
      error_type: 'validation',
    },
    'too_long',
  ],
  [
    'SGLang',
    400,
    {
      object: 'error',
      message:
        "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    'too_long',
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    'too_long',
  ],
  [
    'vLLM short',
    400,
    {
      error: {
        message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
        type: 'BadRequestError',
        code: 400,
      },
    },
    'too_long',
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    'too_long',
  ],
  [
    'llama.cpp while it answers',
    500,
    { error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } },
    'too_long',
  ],
  [
    'LM Studio',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978>= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input',
    },
    'too_long',
  ],
  [
    'LM Studio overflow',
    400,
    {
      error:
        'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
    'too_long',
  ],
  [
    'Ollama',
    400,
    { error: { message: 'prompt too long; exceeded max context length by 1200 tokens', type: 'api_error' } },
    'too_long',
  ],
  ['llama-cpp-python', 400, openAi('Requested tokens (5012) exceed context window of 4096'), 'too_long'],
  ['GPT4All', 400, openAi('The prompt size exceeds the context window size and cannot be processed.'), 'too_long'],
  ['TabbyAPI', 400, { detail: 'Prompt length 9000 is greater than max_seq_len 8192' }, 'too_long'],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
      code: 3051,
    },
    'too_long',
  ],
  [
    'DeepSeek',
    400,
    openAi(
      "This model's maximum context length is 131072 tokens. However, you requested 154963 tokens (150867 in the messages, 4096 in the completion).",
    ),
    'too_long',
  ],
  ['Fireworks', 400, openAi('The prompt is too long: 140000, model maximum context length: 131071'), 'too_long'],
  [
    'Cohere',
    400,
    { message: 'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 140000.' },
    'too_long',
  ],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }, 'too_long'],
  [
    'Bedrock Nova',
    400,
    {
      message:
        'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    },
    'too_long',
  ],
  [
    'Cloudflare',
    413,
    {
      errors: [
        {
          code: 5021,
          message:
            'AiError: The estimated number of input and maximum output tokens (31404) exceeded this model context window limit (8000).',
        },
      ],
      success: false,
    },
    'too_long',
  ],
  ['z.ai', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, 'too_long'],
  ['Perplexity', 400, openAi('Your input prompt is too long. Please reduce its size.'), 'too_long'],
  [
    'Databricks',
    400,
    { error_code: 'BAD_REQUEST', message: 'Exceeded maximum allowed input length of 100000 tokens' },
    'too_long',
  ],
  [
    'OpenRouter',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"Input length 131393 exceeds the maximum allowed input length of 131040 tokens."}}',
          provider_name: 'Poolside',
        },
      },
    },
    'too_long',
  ],
  [
    'OpenRouter own',
    400,
    {
      error: {
        message: "This endpoint's maximum context length is 262144 tokens. However, you requested about 300000 tokens.",
        code: 400,
      },
    },
    'too_long',
  ],
  [
    'LiteLLM',
    400,
    {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
        type: null,
        param: null,
        code: '400',
      },
    },
    'too_long',
  ],
  [
    'a proxy',
    413,
    '<html><head><title>413 Request Entity Too Large</title></head><body><center><h1>413 Request Entity Too Large</h1></center></body></html>',
    'too_long',
  ],
  ['nobody', 413, '', 'too_long'],
  ['plain text', 400, 'max context is 4096, prompt has 9000', 'too_long'],

  [
    'Groq TPM',
    413,
    openAi(
      'Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 15041, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    'plan',
  ],
  [
    'OpenAI TPM',
    429,
    openAi(
      'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    'plan',
  ],
  [
    'GitHub Models',
    413,
    {
      error: {
        code: 'tokens_limit_reached',
        message: 'Request body too large for gpt-4o model. Max size: 8000 tokens.',
      },
    },
    'plan',
  ],

  [
    'Bedrock throttle',
    400,
    { error: { message: 'Too many tokens, please wait before trying again.', type: 'throttling_exception' } },
    'throttled',
  ],
  ['Bedrock throttle 429', 429, { message: 'Too many tokens, please wait before trying again.' }, 'throttled'],
  [
    'Groq rate',
    429,
    openAi(
      'Rate limit reached for model `qwen/qwen3-32b` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 4093, Requested 3531. Please try again in 16.2s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    'throttled',
  ],
  [
    'Anthropic rate',
    429,
    {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      },
    },
    'throttled',
  ],
  [
    'Google rate',
    429,
    [
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }],
        },
      },
    ],
    'throttled',
  ],
  ['Mistral rate', 429, { message: 'Requests rate limit exceeded' }, 'throttled'],

  [
    'OpenAI quota',
    429,
    openAi('You exceeded your current quota, please check your plan and billing details.', {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
    'spent',
  ],
  ['DeepSeek balance', 402, openAi('Insufficient Balance', { type: 'unknown_error' }), 'spent'],
  [
    'Kimi balance',
    429,
    {
      error: {
        message: 'Your account org-1 <ak-1> is suspended, please check your plan and billing details',
        type: 'exceeded_current_quota_error',
      },
    },
    'spent',
  ],
  [
    'Hugging Face credits',
    402,
    { error: 'You have exceeded your monthly included credits for Inference Providers.' },
    'spent',
  ],
  [
    'OpenRouter credits',
    402,
    {
      error: {
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 3919. To increase, visit https://openrouter.ai/settings/credits',
        code: 402,
      },
    },
    'affords',
  ],

  [
    'Azure firewall',
    403,
    { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } },
    'place',
  ],
  [
    'OpenAI country',
    403,
    {
      error: {
        code: 'unsupported_country_region_territory',
        message: 'Country, region, or territory not supported',
        param: null,
        type: 'request_forbidden',
      },
    },
    'place',
  ],
  [
    'Gemini country',
    400,
    [
      {
        error: { code: 400, message: 'User location is not supported for the API use.', status: 'FAILED_PRECONDITION' },
      },
    ],
    'place',
  ],
  [
    'Cloudflare page',
    403,
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body>x</body></html>',
    'place',
  ],
  [
    'Cloudflare block',
    403,
    '<!DOCTYPE html>\n<html><head>\n<title>Attention Required! | Cloudflare</title></head></html>',
    'place',
  ],
  [
    'Google API off',
    403,
    [
      {
        error: {
          code: 403,
          message:
            'Generative Language API has not been used in project 123 before or it is disabled. Enable it by visiting https://console.developers.google.com then retry.',
          status: 'PERMISSION_DENIED',
        },
      },
    ],
    'disabled',
  ],
  [
    'OpenRouter moderation',
    403,
    {
      error: {
        code: 403,
        message: 'm1 requires moderation on OpenAI. Your input was flagged for "violence". No credits were charged.',
        metadata: { reasons: ['violence'], flagged_input: 'kill' },
      },
    },
    'filtered',
  ],
  [
    'Azure filter',
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        param: 'prompt',
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    'filtered',
  ],
  [
    'Google key',
    400,
    [
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
        },
      },
    ],
    'key',
  ],
  ['OpenAI key', 401, openAi('Incorrect API key provided: sk-abc***xyz.', { code: 'invalid_api_key' }), 'key'],
  [
    'LiteLLM key',
    400,
    { error: { message: 'Authentication Error, Invalid proxy server token passed', type: 'auth_error', code: '400' } },
    'key',
  ],
  ['forbidden', 403, openAi('You have insufficient permissions for this operation.'), 'forbidden'],

  [
    'Ollama memory',
    500,
    { error: 'model requires more system memory (9.1 GiB) than is available (7.7 GiB)' },
    'memory',
  ],
  [
    'CUDA',
    500,
    { error: { message: 'CUDA out of memory. Tried to allocate 2.00 GiB', type: 'internal_server_error' } },
    'memory',
  ],
  [
    'LM Studio memory',
    400,
    { error: 'Failed to load model "x". Error: Model loading was stopped due to insufficient system resources.' },
    'memory',
  ],
  ['llama.cpp loading', 503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, 'loading'],
  ['Hugging Face loading', 503, { error: 'Model Qwen/Qwen3-8B is currently loading', estimated_time: 20 }, 'loading'],
  ['not loaded', 400, { detail: 'Model is not loaded yet' }, 'loading'],
  [
    'Anthropic overloaded',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'overloaded',
  ],
  [
    'Google overloaded',
    503,
    [{ error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } }],
    'overloaded',
  ],
  ['Groq capacity', 498, openAi('Flex tier capacity exceeded'), 'overloaded'],

  [
    'Ollama model',
    404,
    { error: { message: 'model "qwen3:99b" not found, try pulling it first', type: 'api_error' } },
    'no_model',
  ],
  [
    'OpenAI model',
    404,
    openAi('The model `gpt-5.9` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    'no_model',
  ],
  [
    'Anthropic model',
    404,
    { type: 'error', error: { type: 'not_found_error', message: 'model: claude-9' } },
    'no_model',
  ],
  [
    'vLLM model',
    404,
    { object: 'error', message: 'The model `m2` does not exist.', type: 'NotFoundError', code: 404 },
    'no_model',
  ],
  ['DeepSeek model', 400, openAi('Model Not Exist'), 'no_model'],
  ['OpenRouter model', 400, { error: { message: 'foo/bar is not a valid model ID', code: 400 } }, 'no_model'],
  [
    'Mistral model',
    400,
    { object: 'error', message: 'Invalid model: mistral-9', type: 'invalid_model', code: '1500' },
    'no_model',
  ],
  [
    'Groq model',
    400,
    openAi('The model `llama-3.1` has been decommissioned and is no longer supported.', {
      code: 'model_decommissioned',
    }),
    'no_model',
  ],
  [
    'Azure deployment',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    'no_model',
  ],
  [
    'LM Studio none',
    404,
    { error: { message: 'No models loaded. Please load a model in the developer page.' } },
    'no_model',
  ],
  [
    'Ollama tools',
    400,
    { error: { message: 'registry.ollama.ai/library/gemma3:4b does not support tools', type: 'api_error' } },
    'talks_only',
  ],
  [
    'OpenRouter tools',
    404,
    {
      error: {
        message:
          'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing',
        code: 404,
      },
    },
    'no_tools',
  ],
  [
    'vLLM tools',
    400,
    {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      code: 400,
    },
    'no_tools',
  ],

  // Refusals without a known meaning.
  [
    'a field',
    400,
    openAi(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { code: 'unsupported_parameter' },
    ),
    undefined,
  ],
  [
    'a value',
    400,
    openAi(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    ),
    undefined,
  ],
  [
    'max_tokens',
    400,
    openAi('max_tokens is too large: 200000. This model supports at most 128000 completion tokens.'),
    undefined,
  ],
  ['a schema', 400, openAi("Invalid schema for function 'x': array schema missing items"), undefined],
  [
    'a picture',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
      },
    },
    'picture',
  ],
  [
    'a tool result',
    400,
    openAi(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ),
    undefined,
  ],
  [
    'a name',
    400,
    openAi(
      "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
      { code: 'string_above_max_length' },
    ),
    undefined,
  ],
  ['FastAPI', 422, { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] }, undefined],
  ['a gateway', 502, '<html><head><title>502 Bad Gateway</title></head></html>', undefined],
]

test('each wording means what its server means', () => {
  const wrong = wordings.flatMap(([server, status, sent, means]) => {
    const found = refusedWith(status, sent).because
    return found === means ? [] : [`${server}: ${found} instead of ${means}`]
  })
  expect(wrong).toEqual([])
})

test('no sentence is an object, a list or a page, and each has the words of its server', () => {
  const wrong = wordings.flatMap(([server, status, sent]) => {
    const { message } = refusedWith(status, sent)
    return /\[object|[{}<]|\[\{|"error"/.test(message.replace(/<(?:400|ak-1)>|<= 8193/, '').replace(/- \{.*$/, ''))
      ? [`${server}: ${message}`]
      : []
  })
  expect(wrong).toEqual([])
})

test('a redirect is not followed, and is no error of the server’s own', () => {
  expect(refusedWith(301, '<html><head><title>301 Moved Permanently</title></head></html>')).toMatchObject({
    code: 'model_bad_request',
    isRetryable: false,
    message:
      'api.test sends requests on to another address (HTTP 301), and JARVIS takes the key to none. Enter that address (P_URL).',
  })
})
