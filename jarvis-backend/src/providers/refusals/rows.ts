/**
 * Meaning of a refusal, independent of its HTTP status. `too_long`: the conversation does not fit the model. `plan`: no request of this size fits
 * the account's plan. `throttled`: too many requests; wait. `spent`: the money or the quota is used up. `affords`: the credit pays only for a
 * shorter answer. `key`: the key is wrong. `forbidden`: the key lacks permission. `place`: this address or country is not served. `disabled`: the
 * service is switched off. `filtered`: the provider's own filter refused the content. `overloaded`: try again. `loading`: the model is being loaded.
 * `memory`: the server's machine has too little memory. `no_model`: there is no such model. `talks_only`: the model takes no tools. `no_tools`: the
 * server is not configured to give the model tools. `picture`: this picture is refused; others may be accepted.
 */
export type Meaning =
  | 'too_long'
  | 'plan'
  | 'throttled'
  | 'spent'
  | 'affords'
  | 'key'
  | 'forbidden'
  | 'place'
  | 'disabled'
  | 'filtered'
  | 'overloaded'
  | 'loading'
  | 'memory'
  | 'no_model'
  | 'talks_only'
  | 'no_tools'
  | 'picture'

/**
 * `says`: phrases of the server's codes and message in lower case; one match is enough; `…` stands for up to `gap` characters. `at`: the row counts
 * only with one of these statuses. `of`: the servers with this wording.
 */
export type Row = { of: string; means: Meaning; says: readonly string[]; at?: readonly number[] }

const of = (servers: string, means: Meaning, says: readonly string[]): Row => ({ of: servers, means, says })
const onlyAt = (at: readonly number[], row: Row): Row => ({ ...row, at })

const missing = [400, 404, 410, 422, 500]

/** One row for each server's wording. The first matching row counts, so wordings that only resemble `too_long` come before its own rows. */
export const rows: readonly Row[] = [
  // Limits of the account that waiting does not lift.
  of('Groq', 'plan', ['request too large for model…on tokens per']),
  of('OpenAI', 'plan', ['request too large for…on tokens per min']),
  of('GitHub Models', 'plan', ['tokens_limit_reached', 'request body too large for']),
  of('OpenRouter', 'affords', ['can only afford']),
  onlyAt([402], of('OpenRouter', 'spent', ['prompt tokens limit exceeded'])),

  // Refusals about money or quota.
  of('OpenAI', 'spent', ['insufficient_quota', 'billing_hard_limit', 'billing_not_active', 'spend_limit']),
  of('DeepSeek, xAI, z.ai', 'spent', [
    'insufficient balance',
    'insufficient_balance',
    'insufficient credit',
    'insufficient account balance',
    'insufficient funds',
  ]),
  of('Anthropic', 'spent', ['billing_error', 'credit balance is too low', 'api usage limits']),
  of('Google, xAI', 'spent', [
    'spending cap',
    'spend cap',
    'spending limit',
    'used all available credits',
    'usage limit reached',
  ]),
  of('Kimi', 'spent', ['exceeded_current_quota_error', 'is suspended, please check your plan']),
  of('Hugging Face', 'spent', [
    'monthly included credits',
    'out of credits',
    'credits exhausted',
    'credits are exhausted',
    'credits have been exhausted',
  ]),
  of('Alibaba, DashScope', 'spent', ['arrearage', '欠费', '余额不足']),
  of('Cohere, Mistral', 'spent', [
    'payment_required',
    'quota_exceeded',
    'trial key…monthly limit',
    'limited to 1000 api calls / month',
  ]),

  // Refusals that end after a wait; some of them mention tokens.
  of('Bedrock', 'throttled', [
    'throttling',
    'too many tokens, please wait',
    'too many requests, please wait',
    'too many tokens per day',
  ]),
  onlyAt([429], of('Google', 'throttled', ['retryinfo'])),
  onlyAt([429], of('Google', 'spent', ['perdayper'])),
  of('Google', 'throttled', ['resource_exhausted']),
  of('OpenAI without a code', 'spent', ['exceeded your current quota']),
  of('Groq, OpenAI, Mistral, Anthropic', 'throttled', [
    'rate limit',
    'rate_limit',
    'ratelimit',
    'too many requests',
    'too many concurrent',
    'requests per minute',
    'requests per second',
    'requests per day',
    'tokens per minute',
    'tokens per min ',
    'tokens per day',
    'concurrency limit',
  ]),

  // Refusals of one picture. A model that takes no pictures at all refuses in other words.
  of('Anthropic', 'picture', [
    'image exceeds…maximum',
    'image dimensions exceed',
    'could not process image',
    'media type, but the image appears',
    'image does not match the provided media type',
  ]),
  of('OpenAI', 'picture', [
    'invalid_image',
    'invalid_base64_image',
    'image_parse_error',
    'image_too_',
    'image_file_too_large',
    'empty_image_file',
    'unsupported_image',
    'unsupported image',
    'invalid base64 image',
    'image data you provided',
  ]),
  of('Google', 'picture', ['process input image', 'image is not valid', 'image size…exceed']),
  of('Bedrock', 'picture', ['image does not match', 'image format…match', 'image exceeds']),
  of('llama.cpp, Ollama, LM Studio', 'picture', [
    'failed to load image',
    'failed to decode image',
    'image: unknown format',
    'invalid image',
    'unable to decode image',
  ]),
  of('vLLM, Mistral', 'picture', [
    'cannot identify image',
    'image file is truncated',
    'image could not be loaded',
    'could not load image',
    'error loading image',
    'decompressionbomb',
  ]),
  of('Groq, xAI, others', 'picture', [
    'image too large',
    'image is too large',
    'image is too small',
    'too many pixels',
    'image resolution',
    'image dimension',
  ]),

  // The conversation is longer than the model's context window.
  of('OpenAI, Cerebras, LiteLLM', 'too_long', [
    'context_length_exceeded',
    'context_window_exceeded',
    'contextwindowexceeded',
    'exceeds the context window',
    'exceeds the model context window',
    'input tokens exceed the configured',
  ]),
  of('OpenAI, vLLM, DeepSeek, OpenRouter, SGLang', 'too_long', [
    'maximum context length',
    'max context length',
    'maximum context size',
    'maximum context window',
  ]),
  of('vLLM', 'too_long', ['maximum model length', 'max_model_len', 'maximum sequence length']),
  of('Anthropic', 'too_long', [
    'prompt is too long',
    'exceed context limit',
    'exceeds context limit',
    'request_too_large',
    'request exceeds the maximum size',
  ]),
  of('Gemini', 'too_long', [
    'input token count…exceeds',
    'input token count…only supports up to',
    'maximum number of tokens allowed',
  ]),
  of('xAI', 'too_long', ['maximum prompt length']),
  of('Kimi', 'too_long', ['exceeded model token limit', 'exceeds model token limit', 'token limit exceeded']),
  of('Copilot', 'too_long', ['max_prompt_tokens_exceeded', 'token count of…exceeds the limit']),
  of('Poolside', 'too_long', ['input length…exceeds']),
  of('Databricks', 'too_long', ['maximum allowed input length']),
  of('Qwen', 'too_long', ['range of input length should be']),
  of('MiniMax', 'too_long', ['context window exceeds limit', 'context length exceeds']),
  of('Groq, Cerebras', 'too_long', [
    'reduce the length',
    'reduce your prompt',
    'reduce the size of your prompt',
    'reduce the number of messages',
  ]),
  of('Together, SGLang', 'too_long', ["longer than the model's context length"]),
  of('TGI', 'too_long', ['tokens + `max_new_tokens` must be', 'inputs` must have less than']),
  of('Mistral', 'too_long', ['too large for model with']),
  of('Fireworks', 'too_long', ['model maximum context length']),
  of('llama.cpp', 'too_long', [
    'exceed_context_size',
    'exceeds the available context',
    'context size has been exceeded',
    'the context size is too small',
    'context shift is disabled',
  ]),
  of('LM Studio', 'too_long', [
    'greater than the context length',
    'loaded with context length of only',
    'context the overflows',
    'context overflow',
    'context length exceeded',
  ]),
  of('Ollama', 'too_long', [
    'prompt too long',
    'exceeds the context length',
    'exceeds maximum context',
    'exceeded max context',
    'exceeds the maximum context',
  ]),
  of('llama-cpp-python, GPT4All', 'too_long', [
    'exceed context window',
    'exceeds context window',
    'context window full',
  ]),
  of('TabbyAPI, exllama', 'too_long', ['greater than max_seq_len', 'max_seq_len']),
  of('Cohere', 'too_long', ['too many tokens', 'too many input tokens']),
  of('Bedrock', 'too_long', [
    'input is too long',
    'input tokens exceeded',
    'exceeds maximum length',
    'has exceed context limit',
  ]),
  of('Cloudflare', 'too_long', ['model context window limit']),
  of('z.ai', 'too_long', [
    'prompt exceeds max length',
    'model_context_window_exceeded',
    'input length too long',
    '超长',
    '超出最大',
    '上下文长度',
  ]),
  of('Perplexity', 'too_long', [
    'prompt is too large',
    'input prompt is too long',
    'message is too long',
    'messages are too long',
    'conversation is too long',
  ]),
  of('others', 'too_long', [
    'max context is',
    'context length…exceed',
    'context window…exceed',
    'context size…exceed',
    'context limit…exceed',
    'exceed…context length',
    'exceed…context window',
    'exceed…context size',
    'exceed…context limit',
    'prompt length…exceed',
    'number of tokens…exceed',
    'token count…exceed',
    'prompt tokens…exceed',
    'input tokens…exceed',
    'exceeds token limit',
    'exceeded the token limit',
    'exceeds the token limit',
    'entity too large',
    'payload too large',
  ]),

  // Refusals because of the state of the server itself.
  of('llama.cpp, Hugging Face', 'loading', [
    'loading model',
    'currently loading',
    'still loading',
    'being loaded',
    'not loaded yet',
    'warming up',
    'modelnotready',
  ]),
  of('Ollama', 'memory', ['more system memory', 'model requires more']),
  of('vLLM, llama.cpp, PyTorch', 'memory', [
    'out of memory',
    'outofmemory',
    ' oom',
    'cudamalloc',
    'out of gpu memory',
    'failed to allocate',
    'unable to allocate',
    'not enough memory',
    'not enough vram',
    'insufficient memory',
    'insufficient vram',
    'not enough gpu memory',
  ]),
  of('LM Studio', 'memory', ['insufficient system resources', 'insufficient resources']),
  of('Anthropic, Google, Mistral, DeepSeek', 'overloaded', [
    'overloaded',
    'at capacity',
    'over capacity',
    'capacity exceeded',
    'service unavailable',
    'serviceunavailable',
    'service_unavailable',
    'server is busy',
    'servers are busy',
    'system is busy',
    'high demand',
    'no healthy upstream',
  ]),

  // Refusals of the account or its place.
  of('OpenAI, Google', 'place', [
    'unsupported_country',
    'location is not supported',
    'not available in your country',
    'not available in your region',
    'country, region, or territory not supported',
    'not supported in your region',
    'not supported in your country',
  ]),
  onlyAt(
    [403, 429, 503],
    of('Azure, Cloudflare', 'place', [
      'firewall',
      'virtual network',
      'attention required',
      'just a moment',
      'you have been blocked',
      'cloudflare',
      'unusual traffic',
      'ip_not_authorized',
      'ip address is not',
      'ip not allowed',
      'access denied | ',
    ]),
  ),
  of('Google', 'disabled', [
    'has not been used in project',
    'service_disabled',
    'api is not enabled',
    'api has not been enabled',
  ]),
  of('Google, OpenAI, Groq', 'key', [
    'api key not valid',
    'api_key_invalid',
    'api key expired',
    'invalid api key',
    'invalid_api_key',
    'incorrect api key',
    'missing api key',
    'no api key',
    'invalid x-api-key',
    'authentication_error',
    'authentication error',
    'invalid proxy server token',
    'security token included in the request is invalid',
    'invalid bearer token',
    'unauthenticated',
  ]),

  // Refusals of the request's content.
  of('OpenRouter', 'filtered', ['requires moderation', 'was flagged']),
  of('Azure, OpenAI, Alibaba', 'filtered', [
    'content_filter',
    'content management policy',
    'responsibleai',
    'content_policy',
    'moderation_blocked',
    'data_inspection_failed',
    'datainspectionfailed',
    'inappropriate content',
    'content exists risk',
    'safety system',
    'invalid_prompt',
  ]),
  of('llama.cpp', 'no_tools', ['tools param requires --jinja']),
  of('Ollama, Mistral', 'talks_only', [
    'does not support tools',
    'does not support function',
    'does not support tool',
    'tools are not supported',
    'tool use is not supported',
    'tool calling is not supported',
    'function calling is not',
    'tools is not supported',
  ]),
  of('OpenRouter', 'no_tools', ['support tool use']),
  of('vLLM', 'no_tools', ['enable-auto-tool-choice']),
  onlyAt(
    missing,
    of('OpenAI, Groq', 'no_model', [
      'model_not_found',
      'model_decommissioned',
      'has been decommissioned',
      'has been deprecated',
      'does not exist or you do not have access',
    ]),
  ),
  onlyAt(missing, of('Ollama', 'no_model', ['try pulling it first', 'model…not found'])),
  onlyAt(missing, of('vLLM, DeepSeek', 'no_model', ['model…does not exist', 'model not exist', 'modelnotfound'])),
  onlyAt(
    missing,
    of('OpenRouter', 'no_model', ['not a valid model', 'no endpoints found for', 'no allowed providers']),
  ),
  onlyAt(missing, of('Azure', 'no_model', ['deploymentnotfound'])),
  onlyAt(
    missing,
    of('Mistral, Cohere', 'no_model', [
      'invalid model',
      'invalid_model',
      'unknown model',
      'unknown_model',
      'no such model',
      'unsupported model',
    ]),
  ),
  onlyAt(
    [...missing, 403],
    of('Bedrock', 'no_model', [
      'model identifier is invalid',
      'with on-demand throughput',
      "don't have access to the model",
    ]),
  ),
  onlyAt(
    missing,
    of('LM Studio', 'no_model', [
      'no models loaded',
      'no model loaded',
      'model…is not loaded',
      'failed to load model',
      'model_not_loaded',
    ]),
  ),
  onlyAt([404], of('Anthropic', 'no_model', ['not_found_error model:'])),
]

/** Maximum length of the text that `…` stands for, characters. */
const gap = 200

/** True if a text contains a phrase of a row. @param heard the text in lower case */
export function hears(heard: string, phrase: string): boolean {
  const [first = '', then] = phrase.split('…')
  for (let at = heard.indexOf(first); at >= 0; at = heard.indexOf(first, at + 1)) {
    if (then === undefined) return true
    const next = heard.indexOf(then, at + first.length)
    if (next < 0) return false
    if (next - at - first.length <= gap) return true
  }
  return false
}
