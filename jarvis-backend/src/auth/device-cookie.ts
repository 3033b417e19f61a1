import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const name = 'jarvis_device'
const firstOwner = 'operator'
const yearS = 365 * 24 * 60 * 60

/**
 * Makes and reads cookies that mark a browser in which a person has signed in (OWASP's device cookie). A cookie grants nothing. It only makes the
 * browser's wrong passwords for this person count apart from those of strangers, so that a stranger's guesses cannot lock the person out. For
 * another person the cookie is invalid.
 */
export interface DeviceCookie {
  /** Makes a `Set-Cookie` header for a new id. @param person the person's id */
  issue(person: string): string
  /** @returns the id in a `Cookie` header; undefined unless it was issued to this person under this secret */
  read(header: string | undefined, person: string): string | undefined
}

export function createDeviceCookie(secret: string): DeviceCookie {
  // The first owner's cookies have the form of releases that knew only one person, so that old cookies stay valid.
  const macOf = (id: string, person: string) =>
    createHmac('sha256', secret)
      .update(person === firstOwner ? `device ${id}` : `device ${id} ${person}`)
      .digest('base64url')
  return {
    issue(person) {
      const id = randomBytes(16).toString('base64url')
      return `${name}=${id}.${macOf(id, person)}; Path=/api/auth; Max-Age=${yearS}; HttpOnly; SameSite=Strict`
    },
    read(header, person) {
      const [, id, mac] = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{22})\\.([\\w-]{43})(?:;|$)`).exec(header ?? '') ?? []
      if (id === undefined || mac === undefined) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id, person))) ? id : undefined
    },
  }
}
