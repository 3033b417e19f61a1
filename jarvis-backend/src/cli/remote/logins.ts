import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { JarvisError } from 'protocol'
import { z } from 'zod'

const Logins = z.record(z.string(), z.object({ token: z.string() }))

const folder = () => join(homedir(), '.config/jarvis')
const file = () => join(folder(), 'logins.json')

/** Normalises an address to the form in which it is stored: `https://jarvis.lan`. @throws JarvisError `invalid_request` */
export function addressOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new JarvisError('invalid_request', `--url ${url}: write an address such as http://jarvis.lan:4000.`)
  return url.replace(/(?<!\/)\/+$/, '')
}

function read(): z.infer<typeof Logins> {
  if (!existsSync(file())) return {}
  chmodSync(file(), 0o600)
  const known = Logins.safeParse(JSON.parse(readFileSync(file(), 'utf8')))
  if (!known.success) throw new JarvisError('internal', `${file()} is not understood. Delete it and sign in again.`)
  return known.data
}

export const isLoggedIn = (url: string): boolean => Object.hasOwn(read(), addressOf(url))

/** @throws JarvisError `unauthorized` if nobody signed in to that server */
export function keptLogin(url: string): { url: string; token: string } {
  const address = addressOf(url)
  const known = read()[address]
  if (known === undefined)
    throw new JarvisError('unauthorized', `Nobody signed in to ${address} here. Run: jarvis login --url ${address}`)
  return { url: address, ...known }
}

/** Stores a token in a file that only its owner can read. @returns the file's path */
export function keepLogin(url: string, token: string): string {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const next = JSON.stringify({ ...read(), [addressOf(url)]: { token } }, null, 2)
  writeFileSync(`${file()}.new`, `${next}\n`, { mode: 0o600 })
  renameSync(`${file()}.new`, file())
  return file()
}
