import { leftToFillIn } from '../providers/index.ts'

/** Returns why an address cannot be that of a model's server; undefined: it can. Never quotes a part that may be a secret. */
export function addressFault(text: string): string | undefined {
  const example = 'such as http://127.0.0.1:11434/v1'
  if (!/^https?:\/\//i.test(text)) {
    const isBare = !/^\w+:\/|[\s@?#]/.test(text) && /[.:/]/.test(text) && URL.canParse(`http://${text}`)
    return `The address must begin with http:// or https://, ${isBare ? `such as http://${text}` : example}.`
  }
  if (!URL.canParse(text)) return `The address cannot be read as a URL, ${example}.`
  const { username, password, search, hash, pathname } = new URL(text)
  if (username !== '' || password !== '')
    return 'The address must hold no name and no password: the key has its own place.'
  if (search !== '' || hash !== '') return 'The address must end before its ? or #.'
  const [end] = /\/(?:chat\/completions|responses|v1\/messages)\/?$/.exec(pathname) ?? []
  if (end !== undefined) return `The address must end before ${end.replace(/\/$/, '')}: ${text.replace(end, '')}`
  const left = leftToFillIn(text)
  if (left !== undefined) return `Put your own ${left} into the address.`
  return undefined
}
