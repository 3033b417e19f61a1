import { decrypt, encrypt, SecretsRefused } from './cipher.ts'

/** Seals secrets. `place` names the table or file, row and field. A sealed text opens only with the place for which it was sealed. */
export interface SecretBox {
  /** @returns a line of printable ASCII, about 1.4 times as long plus 70 characters */
  seal(place: string, text: string): string
  /** @throws SecretsRefused if the text was changed or moved, or its key is not available */
  open(place: string, sealed: string): string
  /** Tests if the text is sealed with the newest data key. */
  isCurrent(text: string): boolean
}

const form = /^sealed:v1:([0-9a-f]{16}):([\w-]+)$/

export const isSealed = (text: string): boolean => form.test(text)

/** @param keys data keys by id; undefined: the master key that wraps the data key is not available. The last data key seals */
export function createBox(keys: ReadonlyMap<string, Buffer | undefined>): SecretBox {
  const [id = '', key] = [...keys].at(-1) ?? []
  const about = (keyId: string, place: string) => `jarvis secret v1\0${keyId}\0${place}`
  const box: SecretBox = {
    seal(place, text) {
      if (key === undefined) throw new SecretsRefused(`${place} cannot be sealed: its key is not here.`)
      const sealed = `sealed:v1:${id}:${encrypt(key, about(id, place), Buffer.from(text))}`
      if (box.open(place, sealed) !== text) throw new SecretsRefused(`${place} could not be sealed.`)
      return sealed
    },
    open(place, sealed) {
      const [, keyId = '', content = ''] = form.exec(sealed) ?? []
      const own = keys.get(keyId)
      if (own === undefined)
        throw new SecretsRefused(`${place} is sealed with the data key ${keyId}, which no key here opens.`)
      const plain = decrypt(own, about(keyId, place), content)
      if (plain === undefined)
        throw new SecretsRefused(`${place} cannot be opened: it was changed, or sealed elsewhere.`)
      return plain.toString('utf8')
    },
    isCurrent: (text) => form.exec(text)?.[1] === id,
  }
  return box
}
