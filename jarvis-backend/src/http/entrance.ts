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

/** How somebody signed in. `passkey`: the id of the passkey that proved it. */
export type SignInMethod = { method: string; passkey?: string }

/** Programs on this machine that are told apart. */
const mostHere = 1_000

/** The parts that signing in needs. */
export type EntranceNeeds = {
  tokens: Pick<Tokens, 'issue'>
  people: Pick<People, 'get'>
  device: DeviceCookie
  /** Says how long a sign-in lasts; whoever serves the routes sets it. */
  cookie: Pick<SessionCookie, 'suits'>
  addressOf: ClientAddressOf
  /** Tells a person that they signed in on a device that they had not signed in on before. */
  newDevice(person: Person, facts: { address: string; method: string; signIn: string }): void
}

/** Signs people in who have proved who they are. */
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
    const facts = { ...this.#log.from(request), method, ...(passkey !== undefined && { passkey }) }
    const { token, expiresIn, signIn } = this.#needs.tokens.issue(person, facts, this.#needs.cookie.suits(request))
    return { token, expiresIn, role: wireRole(role), person: { id, name, role }, signIn }
  }

  /** True if the person signs in on this device for the first time. */
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
