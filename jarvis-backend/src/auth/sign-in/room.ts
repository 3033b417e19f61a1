import { randomBytes } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { firstOwnerId, type Person } from 'protocol'
import type { Passkeys } from '../../access/passkeys.ts'
import type { SshKeys } from '../../access/ssh-keys.ts'
import type { Channels } from '../../channels/channels.ts'
import type { Config } from '../../config/config.ts'
import { sealedOrMade } from '../../config/sealed-file.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type FactTypes, type JarvisFacts } from '../../house.ts'
import { authRoutes } from '../../http/auth.ts'
import type { SignInElsewhere } from '../../http/elsewhere.ts'
import { secondFactorRoutes } from '../../http/second-factor.ts'
import { withSessionCookie } from '../../http/session-cookie.ts'
import { signInRoutes } from '../../http/sign-ins.ts'
import { sshKeyRoutes } from '../../http/ssh-keys.ts'
import { waysRoutes } from '../../http/ways.ts'
import { oldBefore } from '../../lib/clock.ts'
import { SqliteForeignAccountStore } from '../../store/sqlite/access/foreign-accounts.ts'
import { SqliteSecondFactorStore } from '../../store/sqlite/access/second-factor.ts'
import { SqliteRevocationStore } from '../../store/sqlite/access/tokens.ts'
import type { ClientAddressOf } from '../client-address.ts'
import { createDeviceCookie } from '../device-cookie.ts'
import { createDisplays } from '../displays.ts'
import { createElsewhere } from '../elsewhere.ts'
import { createElsewherePlace } from '../elsewhere-place.ts'
import { ForeignAccounts, foreignMethod } from '../foreign-accounts.ts'
import type { Links } from '../links.ts'
import { createLoginGuard } from '../login.ts'
import { OidcProvider } from '../oidc-provider.ts'
import { createPassword, type Password } from '../password.ts'
import { createPasswordHasher, type HashStrength, type PasswordHasher } from '../passwords.ts'
import type { People } from '../people.ts'
import { createPersonPasswords } from '../person-passwords.ts'
import { createOriginOf } from '../public-origin.ts'
import { SecondFactors } from '../second-factor.ts'
import { createSessionCookie, type SessionCookie } from '../session-cookie.ts'
import type { SignInList } from '../sign-in-list.ts'
import type { SignInStore } from '../sign-ins.ts'
import type { StepUp } from '../step-up.ts'
import { type Identity, Tokens } from '../tokens.ts'

/** The first owner's password and the tokens of people. */
export const tokensRoom = defineRoom({
  name: 'person-tokens',
  open(needs: {
    foundation: Pick<Foundation, 'clock' | 'database' | 'dataDir' | 'hide' | 'now' | 'report' | 'secrets' | 'settings'>
    config: Pick<Config, 'jwtSecret' | 'password' | 'publicUrl' | 'signInIdleMs'>
    people: People
    signIns: SignInStore
    http: HttpServer
    /** The cost of a password hash. Absent: the cost used in production. */
    hashStrength: HashStrength | undefined
  }) {
    const { foundation, config, people, signIns, http } = needs
    const { clock, database, dataDir, hide, now, report, secrets, settings } = foundation
    const jwtSecret =
      config.jwtSecret ?? sealedOrMade(secrets, { dataDir, name: 'jwt-secret' }, () => randomBytes(32).toString('hex'))
    const hasher = createPasswordHasher(needs.hashStrength)
    const password = createPassword({
      dataDir,
      secret: jwtSecret,
      settings,
      hasher,
      now,
      report,
      configured: config.password,
    })
    for (const secret of [jwtSecret, password.made]) if (secret !== undefined) hide(secret)
    // The new password is stored only once the server listens, because a first start that fails earlier has shown it to nobody.
    http.once('listening', password.keep)
    return {
      jwtSecret,
      hasher,
      password,
      cookie: createSessionCookie(config.publicUrl),
      tokens: new Tokens({
        secret: jwtSecret,
        revoked: new SqliteRevocationStore(database, () => oldBefore(clock, 0)),
        signIns,
        people,
        now,
        validFrom: password.validFrom,
        idleMs: config.signInIdleMs,
      }),
    }
  },
})

/** The parts of earlier rooms that signing in needs. */
export type SignInNeeds = {
  foundation: Pick<Foundation, 'activity' | 'database' | 'journal' | 'now' | 'report' | 'secrets' | 'settings'>
  config: Pick<Config, 'allowedHosts' | 'host' | 'oidc' | 'publicUrl'>
  facts: JarvisFacts
  stepUp: StepUp
  jwtSecret: string
  hasher: PasswordHasher
  password: Password
  cookie: SessionCookie
  tokens: Tokens
  people: People
  links: Links
  signIns: SignInStore
  signInList: SignInList
  passkeys: Passkeys
  sshKeys: SshKeys
  channels: Pick<Channels, 'forgetPerson'>
  addressOf: ClientAddressOf
  /** Ends sockets and streams of one token. */
  drop(identity: Identity): void
  /** Ends sockets and streams of people whose rights have ended. */
  look(): void
}

/** Signing in, with a password, a passkey, a second factor or an account of another service. Tells `notice.due`. */
export const signInRoom = defineRoom({
  name: 'sign-in',
  open(needs: SignInNeeds) {
    const { foundation, config, stepUp, jwtSecret, hasher, password, cookie, tokens, people, links } = needs
    const { signIns, passkeys, channels, addressOf, drop, look } = needs
    const { database, journal, now, report, secrets, settings } = foundation
    const notice = needs.facts.teller('notice.due')
    const originOf = createOriginOf(config.publicUrl)
    const factors = new SecondFactors({
      store: new SqliteSecondFactorStore(database),
      box: secrets,
      hasher,
      now,
      report,
      durably: database.durably,
      record: (change) => void journal.append('person', change),
    })
    const elsewhere = openElsewhere(needs)
    const auth = authRoutes({
      elsewhere,
      tokens,
      guard: createLoginGuard(now),
      passkeys,
      originOf,
      people,
      links,
      passwords: createPersonPasswords({
        people,
        first: password,
        hasher,
        durably: database.durably,
        hostNames: [hostname(), config.host, ...config.allowedHosts].filter((name) => isIP(name) === 0),
      }),
      factors,
      stepUp,
      device: createDeviceCookie(jwtSecret),
      cookie,
      addressOf,
      revoked: drop,
      ended: look,
      newDevice: (person, of) => tellOfNewDevice(needs, notice, { person, ...of }),
      // A token signed by hand acts for the first owner, so everything that such tokens hold open ends too.
      changed(person) {
        const pairings = channels.forgetPerson(person)
        look()
        return pairings
      },
      clientsOf: (person, but) => needs.signInList.of(person, but).flatMap((one) => (one.isThis ? [] : [one.client])),
      record: (event) => database.durably(() => journal.append('sign_in', event)),
    })
    return {
      contributes: {
        routes: [
          ...withSessionCookie(auth, { cookie, tokens, ended: drop }),
          ...waysRoutes({ people, passkeys, originOf, elsewhere }),
          ...signInRoutes({
            signIns,
            list: needs.signInList,
            displays: createDisplays(settings),
            factorsOf: (id) => ({
              password: id === firstOwnerId || people.hash(id) !== undefined,
              passkeys: passkeys.list(id).length,
              ...factors.stateOf(id),
            }),
            durably: database.durably,
            record: (change) => journal.append('sign_in', change),
            endChannels: (person, why) => channels.forgetPerson(person, why),
            ended: look,
          }),
          ...secondFactorRoutes({ factors, people }),
          ...sshKeyRoutes({ sshKeys: needs.sshKeys, people, originOf }),
        ],
      },
    }
  },
})

/** Tells a person on their other devices that they signed in on a new one. */
function tellOfNewDevice(
  { signIns, foundation: { activity, now } }: Pick<SignInNeeds, 'signIns' | 'foundation'>,
  notice: (due: FactTypes['notice.due']) => void,
  {
    person: { id, name },
    address,
    method,
    signIn,
  }: { person: Person; address: string; method: string; signIn: string },
): void {
  // If this is the person's only current sign-in, there is no other device to notify.
  const isFirst = !signIns.list(id).some((row) => row.id !== signIn)
  if (isFirst) return
  const text = `${name} signed in on a new device, from ${address} (${method}). If that was not you, change your password.`
  activity.tellPerson(id, { at: now(), kind: 'person', level: 'warning', text })
  notice({
    person: id,
    notice: {
      kind: 'sign-in',
      level: 'failed',
      title: 'Signed in on a new device',
      body: text,
      hidden: 'Somebody signed in as you on a new device.',
      tag: `signed-in-${signIn}`,
      path: '/settings/people',
    },
  })
}

/** Composes the sign-in with an account of another service. */
function openElsewhere({ foundation, config, people, signIns, look }: SignInNeeds): SignInElsewhere {
  const { activity, database, journal, now, report } = foundation
  const { oidc, publicUrl } = config
  const accounts = new ForeignAccounts({
    store: new SqliteForeignAccountStore(database),
    people,
    durably: database.durably,
    now,
    record: (change) => void journal.append('person', change),
    endSignIns(person) {
      for (const { id, method } of signIns.list(person)) if (method === foreignMethod) signIns.end(id)
    },
    changed: () =>
      database.afterCommit(() => {
        activity.changed({ what: 'people' })
        look()
      }),
  })
  return {
    accounts,
    place: createElsewherePlace(publicUrl),
    elsewhere: oidc && createElsewhere({ provider: new OidcProvider({ ...oidc, now, report }), now }),
  }
}
