import type { DoctorCheck, MemoryStatus } from 'protocol'
import { modelWords } from 'protocol/facts'
import type { EmbeddingsConfig } from '../config/config.ts'
import { idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import { localEmbedder } from '../providers/embeddings/local.ts'
import { openAiEmbedder } from '../providers/embeddings/openai-compatible.ts'
import { askAboutModel, listed, namedFacts, servedFacts, settingsOf } from '../providers/index.ts'
import { bad, badFrom, ok, warn } from './check.ts'

/** Checks the key and the model's name by a request that costs nothing. */
export async function modelChecks(config: ModelConfig, signal: AbortSignal): Promise<DoctorCheck[]> {
  if (config.kind === 'demo') {
    return [
      warn(
        'Model',
        'The built-in demo answers: it is scripted.',
        'Set ANTHROPIC_API_KEY, or OPENAI_BASE_URL, in .env.',
      ),
    ]
  }
  const id = idOf(config)
  const { keyName, urlName, modelName } = settingsOf(config.provider)
  const answer = await askAboutModel(config, signal)
  switch (answer.kind) {
    case 'served':
      return [
        ok('Model', `${id}: key and model are known to the server (this cost nothing).`),
        ...(await factChecks(config, signal)),
      ]
    case 'unknown_model':
      return [
        bad(
          'Model',
          `${id}: the server does not have this model.`,
          `${answer.models.length === 0 ? 'Name one that it has' : `It has ${listed(answer.models)}: name one`} in ${modelName} (or JARVIS_MODEL).`,
        ),
      ]
    case 'key_refused':
      return [bad('Model', `${id}: the server refuses the key.`, `Set a valid key (${keyName}).`)]
    case 'refused':
      return [bad('Model', `${id}: ${answer.text}`, 'Do what the server says, or choose another model.')]
    case 'unsure':
      return [
        warn(
          'Model',
          `${id}: ${answer.why}, so the key was not proven.`,
          'Ask JARVIS something: that is the test, and it costs a few tokens.',
        ),
      ]
    case 'unreachable':
      return [bad('Model', `${id}: ${answer.why}.`, `Check the network and the address (${urlName}).`)]
    default:
      return answer satisfies never
  }
}

/** Checks the abilities of the model as its server reports them, otherwise as known from its name. */
async function factChecks(config: ServedModel, signal: AbortSignal): Promise<DoctorCheck[]> {
  const id = idOf(config)
  const { price: _, ...facts } = { ...namedFacts(id), ...(await servedFacts(config, signal)) }
  if (facts.tools === false)
    return [
      warn(
        'Model',
        `${id} takes no tools, so JARVIS sends it none and it can only talk.`,
        'Choose a model that takes tools.',
      ),
    ]
  // The price is not looked up here, because prices.json takes precedence over the server's.
  return [ok('Model', `${id}: ${modelWords(facts).replace(/(?:(?:; )?not known: |, )price$/, '')}.`)]
}

/** Checks embeddings by making one; a remote model charges for one token. */
export async function embeddingChecks(config: EmbeddingsConfig, signal: AbortSignal): Promise<DoctorCheck[]> {
  if (config.kind === 'none') return [ok('Embeddings', 'Turned off: the memory is searched by keywords.')]
  try {
    const embedder = config.kind === 'openai' ? await openAiEmbedder(config) : localEmbedder(config.folder)
    const [vector] = await embedder.embed(['ready'], signal)
    return [ok('Embeddings', `${embedder.id} makes vectors of ${vector?.length ?? 0} numbers.`)]
  } catch (error) {
    const fix =
      config.kind === 'local'
        ? 'Run npm ci again, or set JARVIS_EMBEDDINGS=none: search then goes by keywords.'
        : 'Check OPENAI_BASE_URL and JARVIS_EMBEDDINGS, or set it to local.'
    return [{ ...badFrom('Embeddings', error, fix), health: 'warn' }]
  }
}

/** Checks the memory by its own status, without another embedding. */
export function memoryChecks(status: MemoryStatus | undefined): DoctorCheck[] {
  if (status === undefined) return [ok('Embeddings', 'Not in use yet: the memory starts with the first search.')]
  if (status.problem !== undefined)
    return [warn('Embeddings', status.problem, 'npm run jarvis -- doctor tries the model.')]
  return [
    ok(
      'Embeddings',
      `${status.model ?? 'Keywords'}: ${status.embedded} of ${status.embeddable} passages have a vector.`,
    ),
  ]
}
