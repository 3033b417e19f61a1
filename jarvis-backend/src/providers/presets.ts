import type { ModelPreset } from 'protocol'

/** Known services, in the order in which the settings offer them. */
export const presets: readonly ModelPreset[] = [
  {
    id: 'claude',
    title: 'Claude',
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    example: 'claude-sonnet-5-5',
    key: 'needed',
  },
  {
    id: 'openai',
    title: 'OpenAI',
    kind: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    example: 'gpt-5.4',
    key: 'needed',
  },
  {
    id: 'azure',
    title: 'Azure OpenAI',
    kind: 'openai-responses',
    key: 'needed',
    baseUrl: 'https://NAME.openai.azure.com/openai/v1',
    example: 'gpt-5.4',
    note: 'The model is the name of your deployment. NAME is your resource.',
  },
  {
    id: 'bedrock-claude',
    title: 'Claude on Amazon Bedrock',
    kind: 'anthropic',
    key: 'needed',
    baseUrl: 'https://bedrock-mantle.REGION.api.aws/anthropic',
    example: 'anthropic.claude-sonnet-5-5',
    note: 'The key is a Bedrock API key, or an access key of AWS as ID:SECRET or ID:SECRET:SESSION_TOKEN.',
  },
  {
    id: 'bedrock',
    title: 'Other models on Amazon Bedrock',
    kind: 'openai-chat',
    key: 'needed',
    baseUrl: 'https://bedrock-runtime.REGION.amazonaws.com/openai/v1',
    example: 'openai.gpt-oss-120b-1:0',
    note: 'The key is a Bedrock API key, or an access key of AWS as ID:SECRET or ID:SECRET:SESSION_TOKEN.',
  },
  {
    id: 'gemini',
    title: 'Gemini',
    kind: 'openai-chat',
    key: 'needed',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    example: 'gemini-2.5-pro',
  },
  {
    id: 'vertex',
    title: 'Gemini on Vertex AI',
    kind: 'openai-chat',
    key: 'needed',
    baseUrl: 'https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/endpoints/openapi',
    example: 'google/gemini-2.5-pro',
    note: 'The key is the key file (JSON) of a service account. An access token works too, for an hour.',
  },
  {
    id: 'openrouter',
    title: 'OpenRouter',
    kind: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    example: 'anthropic/claude-sonnet-5-5',
    key: 'needed',
  },
  {
    id: 'ollama',
    title: 'Ollama',
    kind: 'openai-chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    example: 'qwen3:14b',
    key: 'optional',
    note: 'Start Ollama with OLLAMA_CONTEXT_LENGTH=32768: by default it may cut each request at 4,096 tokens.',
  },
  {
    id: 'llamacpp',
    title: 'llama.cpp',
    kind: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8080/v1',
    example: 'default',
    key: 'optional',
    note: 'Start llama-server with --jinja, which tools need, and with -c 32768.',
  },
  {
    id: 'vllm',
    title: 'vLLM',
    kind: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    example: 'Qwen/Qwen3-14B',
    key: 'optional',
    note: 'Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model.',
  },
  {
    id: 'lmstudio',
    title: 'LM Studio',
    kind: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1234/v1',
    example: 'qwen/qwen3-14b',
    key: 'optional',
    note: 'LM Studio loads the model at the first question. Set its context length to 32768 there.',
  },
]

/** Placeholders in a preset's address that a person must replace. */
const toFillIn = /(?<![A-Z])(?:NAME|REGION|LOCATION|PROJECT)(?![A-Z])/

/** Returns a placeholder that is left in an address; undefined if none is left. */
export const leftToFillIn = (baseUrl: string): string | undefined => toFillIn.exec(baseUrl)?.[0]
