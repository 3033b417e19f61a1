import { randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from './password.ts'
import { hashToken } from './tokens.ts'

const key = 'pveHook'
/** Minimum time between two writes of the last use, ms. */
const touchEveryMs = 60_000
const Stored = z.object({ hash: z.string(), createdAt: z.int(), lastUsedAt: z.int().optional() }).nullable()

/** The key with which Proxmox's notifications call the webhook. It can only give a hint. Only its hash is stored. */
export interface HookKey {
  /** Makes a new key, which replaces the earlier one. @returns the key, which cannot be shown again */
  make(): string
  /** Times at which the key was made and last used, Unix ms; null if there is no key. */
  state(): { createdAt: number; lastUsedAt: number | null } | null
  verify(secret: string): boolean
  /** @returns false if there was no key */
  remove(): boolean
}

export function createHookKey(settings: Settings, now: () => number): HookKey {
  const stored = () => {
    const read = Stored.safeParse(JSON.parse(settings.get(key) ?? 'null'))
    return read.success ? read.data : null
  }
  const keep = (value: z.output<typeof Stored>) => settings.set(key, JSON.stringify(value))
  return {
    make() {
      const secret = `jhook_${randomBytes(24).toString('base64url')}`
      keep({ hash: hashToken(secret), createdAt: now() })
      return secret
    },
    state() {
      const { createdAt, lastUsedAt } = stored() ?? {}
      return createdAt === undefined ? null : { createdAt, lastUsedAt: lastUsedAt ?? null }
    },
    verify(secret) {
      const known = stored()
      if (known === null || !timingSafeEqual(Buffer.from(known.hash), Buffer.from(hashToken(secret)))) return false
      if (now() - (known.lastUsedAt ?? 0) > touchEveryMs) keep({ ...known, lastUsedAt: now() })
      return true
    },
    remove() {
      const had = stored() !== null
      if (had) keep(null)
      return had
    },
  }
}
