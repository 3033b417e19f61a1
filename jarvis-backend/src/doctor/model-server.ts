import { isVariableProvider, JarvisError, type ModelKind, type ModelProvider, type ModelTestBody } from 'protocol'
import type { ServedModel } from '../config/model.ts'
import { isToFill } from '../config/placeholder.ts'
import { keyFault } from '../providers/index.ts'
import { addressFault } from './model-address.ts'

export type Server = Pick<ServedModel, 'apiKey' | 'baseUrl' | 'headers'>

/** The kinds of the two providers that environment variables configure. */
export const variableKinds = { anthropic: 'anthropic', openai: 'openai-chat' } as const

/**
 * Returns the address of a model's server, and the key and headers to send. A key and headers are used only for the address they were saved for;
 * another address needs them again.
 * @param known the saved provider of that name
 * @throws JarvisError `invalid_request` naming what is missing
 */
export function serverOf(
  { baseUrl, apiKey, headers }: Pick<ModelTestBody, 'baseUrl' | 'apiKey' | 'headers'>,
  known: Server | undefined,
): Server {
  const fault = baseUrl === undefined ? undefined : addressFault(baseUrl)
  if (fault !== undefined) throw new JarvisError('invalid_request', fault)
  const isSame = known?.baseUrl === baseUrl
  const key = apiKey ?? (isSame ? known?.apiKey : undefined)
  const keysFault = apiKey === undefined || isToFill(apiKey) ? undefined : keyFault(apiKey, baseUrl)
  if (keysFault !== undefined) throw new JarvisError('invalid_request', keysFault)
  if (key === undefined && known?.apiKey !== undefined) {
    throw new JarvisError('invalid_request', 'The address is another one: type its key too. The one before stays here.')
  }
  const sent = headers ?? (isSame ? known?.headers : undefined)
  if (sent === undefined && known?.headers !== undefined) {
    throw new JarvisError(
      'invalid_request',
      'The address is another one: give its headers too, or {} for none. The ones before stay here.',
    )
  }
  if (key === undefined && baseUrl === undefined) throw new JarvisError('invalid_request', 'A key is needed.')
  return {
    ...(key !== undefined && { apiKey: key }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(sent !== undefined && Object.keys(sent).length > 0 && { headers: sent }),
  }
}

/** Returns the kind of a provider. @throws JarvisError `invalid_request` if the provider cannot be of that kind, or no kind is known */
export function kindOf(provider: ModelProvider, asked: ModelKind | undefined, known: ModelKind | undefined): ModelKind {
  const own = isVariableProvider(provider) ? variableKinds[provider] : undefined
  if (own !== undefined && asked !== undefined && asked !== own)
    throw new JarvisError('invalid_request', `${provider} is always ${own}: give the provider another name.`)
  const kind = own ?? asked ?? known
  if (kind === undefined) throw new JarvisError('invalid_request', `${provider} is not saved yet, so kind is needed.`)
  return kind
}
