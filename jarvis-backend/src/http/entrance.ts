import type { Request } from 'express'
import { JarvisError, type LoginReply, type Person } from 'protocol'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { DeviceCookie } from '../auth/device-cookie.ts'
import type { People } from '../auth/people.ts'
import { wireRole } from '../auth/roles.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Exchange } from './route.ts'
import type { SignInLog } from './sign-in-checks.ts'

/** The way in which a person signed in. `passkey`: the id of the passkey that was used. */
export type SignInMethod = { method: string; passkey?: string }

/** Maximum number of programs on this machine that are remembered. */
const mostHere = 1_000

/** The parts that are needed to sign people in. */
export type EntranceNeeds = {
  tokens: Pick<Tokens, 'issue'>
  people: Pick<People, 'get'>
  device: DeviceCookie
  /** Tells if a sign-in is kept in a cookie, which determines how long it lasts. The code that serves the routes sets the cookie. */
  cookie: Pick<SessionCookie, 'suits'>
  addressOf: ClientAddressOf
  /** Informs a person about a sign-in on a device on which they had not signed in before. */
  newDevice(person: Person, facts: { address: string; method: string; signIn: string }): void
}

/** Signs in people who have proved their identity. */
export class Entrance {
  readonly #needs: EntranceNeeds
  readonly #log: SignInLog
  /** Programs on this machine that signed in since the start; they keep no cookie. */
  readonly #here = new Set<string>()

  constructor(needs: EntranceNeeds, log: SignInLog) {
    this.#needs = needs
    this.#log = log
  }

  /** Signs a person in, journals the sign-in and marks the device. @throws JarvisError `invalid_credentials` */
  enter(id: string, { request, response }: Exchange, how: SignInMethod): LoginReply {
    const { people, device, newDevice } = this.#needs
    const person = people.get(id)
    if (person === undefined || person.disabledAt !== undefined) {
      throw new JarvisError('invalid_credentials', 'This person cannot sign in at present. Ask an owner.')
    }
    const { signIn, ...reply } = this.#issue(person, request, how)
    const { method } = how
    const isNewDevice = this.#isNew(request, id)
    this.#log.note(request, { what: 'signed_in', by: id, method, ...(isNewDevice && { isNewDevice }) })
    response.append('Set-Cookie', device.issue(id))
    if (isNewDevice) newDevice(person, { address: this.#log.from(request).address, method, signIn })
    return reply
  }

  /** Issues a new token to a person who is signed in already. */
  again(person: Person, request: Request, how: SignInMethod): LoginReply {
    const { signIn: _, ...reply } = this.#issue(person, request, how)
    return reply
  }

  #issue(person: Person, request: Request, { method, passkey }: SignInMethod): LoginReply & { signIn: string } {
    const { id, name, role } = person
    const facts = { ...this.#log.from(request), method, passkey }
    const { token, expiresIn, signIn } = this.#needs.tokens.issue(person, facts, this.#needs.cookie.suits(request))
    return { token, expiresIn, role: wireRole(role), person: { id, name, role }, signIn }
  }

  /** True if the person has not signed in on this device before. */
  #isNew(request: Request, person: string): boolean {
    const { device, addressOf } = this.#needs
    if (device.read(request.headers.cookie, person) !== undefined) return false
    const { isThisMachine } = addressOf(request)
    const key = `${person} ${this.#log.from(request).client}`
    if (isThisMachine && this.#here.has(key)) return false
    if (isThisMachine && this.#here.size < mostHere) this.#here.add(key)
    return true
  }
}
