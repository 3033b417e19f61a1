import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const name = 'jarvis_device'
const yearS = 365 * 24 * 60 * 60

/**
 * Marks a browser that signed in. It allows nothing: its wrong passwords are counted apart from those of strangers, so
 * that nobody can lock the operator out by guessing (OWASP calls it a device cookie).
 */
export function createDeviceCookie(secret: string) {
  const macOf = (id: string) => createHmac('sha256', secret).update(`device ${id}`).digest('base64url')
  return {
    /** A `Set-Cookie` header. */
    issue(): string {
      const id = randomBytes(16).toString('base64url')
      return `${name}=${id}.${macOf(id)}; Path=/api/auth; Max-Age=${yearS}; HttpOnly; SameSite=Strict`
    },
    /** @returns the id in a `Cookie` header that was issued under this secret. */
    read(header: string | undefined): string | undefined {
      const [, id, mac] = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{22})\\.([\\w-]{43})(?:;|$)`).exec(header ?? '') ?? []
      if (id === undefined || mac === undefined) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id))) ? id : undefined
    },
  }
}
export type DeviceCookie = ReturnType<typeof createDeviceCookie>
