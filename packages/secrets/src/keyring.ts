import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { decrypt, encrypt, keyBytes, SecretsRefused } from './cipher.ts'
import type { MasterKey } from './master-keys.ts'

export const keyringName = 'secret-keys.json'

/** The data keys, each wrapped by a master key; the last data key seals. `keptAt`: the place of the master key when the keyring was written. */
const Keyring = z.strictObject({
  version: z.literal(1),
  keptAt: z.string(),
  keys: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[0-9a-f]{16}$/),
        createdAt: z.int(),
        master: z.string(),
        wrapped: z.string(),
      }),
    )
    .min(1),
})
export type Keyring = z.output<typeof Keyring>

/** The additional data that authenticates a wrapped data key. */
export const aboutDataKey = (id: string, master: string): string => `jarvis data key v1\0${id}\0${master}`

/** @returns undefined if there is no keyring @throws SecretsRefused if it cannot be read */
export function readKeyring(dataDir: string): Keyring | undefined {
  const path = join(dataDir, keyringName)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new SecretsRefused(`${path} cannot be read (${code}).`)
  }
  return parseKeyring(text, path)
}

/** @throws SecretsRefused */
export function parseKeyring(text: string, path: string): Keyring {
  try {
    return Keyring.parse(JSON.parse(text))
  } catch {
    throw new SecretsRefused(
      `${path} is damaged, or of a newer JARVIS. Nothing was changed. Put it back from a backup: without it no secret can be opened.`,
    )
  }
}

export const keyringText = (keyring: Keyring): string => `${JSON.stringify(keyring, undefined, 2)}\n`

/** Returns the data keys by id, in order; undefined for a data key that no available master key opens. */
export function unwrapAll({ keys }: Keyring, masters: readonly MasterKey[]): Map<string, Buffer | undefined> {
  return new Map(
    keys.map(({ id, master, wrapped }) => {
      const own = masters.find((known) => known.id === master)
      return [id, own && decrypt(own.key, aboutDataKey(id, master), wrapped)]
    }),
  )
}

const wrap = (
  { id, createdAt }: { id: string; createdAt: number },
  key: Buffer,
  master: MasterKey,
): Keyring['keys'][number] => ({
  id,
  createdAt,
  master: master.id,
  wrapped: encrypt(master.key, aboutDataKey(id, master.id), key),
})

/** Creates a data key, wrapped by a master key. */
export const newDataKey = (master: MasterKey, now: number) =>
  wrap({ id: randomBytes(8).toString('hex'), createdAt: now }, randomBytes(keyBytes), master)

/** Wraps the same data keys by another master key. A data key that is not open stays unchanged. */
export function rewrapped(
  { keys, ...rest }: Keyring,
  open: ReadonlyMap<string, Buffer | undefined>,
  master: MasterKey,
): Keyring {
  return {
    ...rest,
    keys: keys.map((entry) => {
      const key = open.get(entry.id)
      return key === undefined || entry.master === master.id
        ? entry
        : wrap({ id: entry.id, createdAt: entry.createdAt }, key, master)
    }),
  }
}
