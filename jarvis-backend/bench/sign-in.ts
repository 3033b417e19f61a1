import { standingStrength } from '../src/auth/passwords.ts'
import type { Row } from './rows.ts'
import type { Server, Setup } from './setup.ts'
import { lazily } from './setup.ts'
import { median } from './statistics.ts'

const tries = 10

/** A right password over REST, one after the other: the hash with the parameters of production, the token, the journal's commit. */
export function signInRow(setup: Setup): Row {
  const { memoryKib, passes, lanes } = standingStrength
  const server = lazily(() => setup.startServer('jarvis', setup.newDir()))
  return {
    name: 'sign-in',
    lines: [{ title: `sign-in, argon2id m=${memoryKib / 1024} MiB t=${passes} p=${lanes}, ms p50`, most: 400 }],
    async ours() {
      const took: number[] = []
      for (let i = 0; i < tries; i += 1) took.push(await signIn(await server(), setup.password))
      return [median(took)]
    },
  }
}

async function signIn({ url }: Server, password: string): Promise<number> {
  const since = performance.now()
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  })
  if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`)
  await response.text()
  return performance.now() - since
}
