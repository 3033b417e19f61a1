import type { ModelProviderInfo } from 'protocol'

type Key = Pick<ModelProviderInfo, 'keyEnd' | 'keyName'>

/** Says which key a provider has: its name, its end, or only that there is one. */
export const keyWords = ({ keyEnd, keyName }: Key): string => {
  if (keyName !== undefined) return `key ${keyName}`
  if (keyEnd === undefined) return 'no key'
  return keyEnd === '' ? 'key kept' : `key ends in ${keyEnd}`
}

/** The placeholder of a key's field: the key that is kept, or else `otherwise`. */
export const keyPlaceholder = ({ keyEnd, keyName }: Key, otherwise: string): string => {
  if (keyName !== undefined) return `kept, key ${keyName}`
  if (keyEnd === undefined) return otherwise
  return keyEnd === '' ? 'kept' : `kept, ends in ${keyEnd}`
}
