import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const name = 'jarvis_device'
const yearS = 365 * 24 * 60 * 60

/**
 * Makes and reads cookies that mark a browser which has signed in (OWASP's device cookie). A cookie grants nothing: the browser's wrong
 * passwords are counted apart from those of strangers, so guessing cannot lock the operator out.
 */
export function createDeviceCookie(secret: string) {
  const macOf = (id: string) => createHmac('sha256', secret).update(`device ${id}`).digest('base64url')
  return {
    /** Makes a `Set-Cookie` header for a new id. */
    issue(): string {
      const id = randomBytes(16).toString('base64url')
      return `${name}=${id}.${macOf(id)}; Path=/api/auth; Max-Age=${yearS}; HttpOnly; SameSite=Strict`
    },
    /** @returns the id in a `Cookie` header; undefined unless it was issued under this secret */
    read(header: string | undefined): string | undefined {
      const [, id, mac] = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{22})\\.([\\w-]{43})(?:;|$)`).exec(header ?? '') ?? []
      if (id === undefined || mac === undefined) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id))) ? id : undefined
    },
  }
}
export type DeviceCookie = ReturnType<typeof createDeviceCookie>
