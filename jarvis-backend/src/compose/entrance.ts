import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { firstOwnerId } from 'protocol'
import type { Bearer } from '../auth/bearer.ts'
import { createClientAddress, createIsTrusted, networkOf } from '../auth/client-address.ts'
import { createDeviceCookie } from '../auth/device-cookie.ts'
import { createDisplays } from '../auth/displays.ts'
import { createLoginGuard } from '../auth/login.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import { createPassword } from '../auth/password.ts'
import { createPasswordHasher, type HashStrength } from '../auth/passwords.ts'
import { createPersonPasswords } from '../auth/person-passwords.ts'
import { createOriginOf } from '../auth/public-origin.ts'
import { createRefusals } from '../auth/refused-access.ts'
import { createRequestGuard } from '../auth/request-guard.ts'
import { createSecondFactors } from '../auth/second-factor.ts'
import { createSessionCookie } from '../auth/session-cookie.ts'
import type { StepUp } from '../auth/step-up.ts'
import { createTokens, type Identity } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { sealedOrMade } from '../config/sealed-file.ts'
import { createAccess } from '../http/access.ts'
import { createApp } from '../http/app.ts'
import { authRoutes } from '../http/auth.ts'
import type { Route } from '../http/route.ts'
import { secondFactorRoutes } from '../http/second-factor.ts'
import { withSessionCookie } from '../http/session-cookie.ts'
import { signInRoutes } from '../http/sign-ins.ts'
import { sshKeyRoutes } from '../http/ssh-keys.ts'
import { routeTable } from '../http/table.ts'
import { waysRoutes } from '../http/ways.ts'
import { oldBefore } from '../lib/clock.ts'
import { serverProofKey } from '../lib/server-proof.ts'
import { serveActivity } from '../realtime/activity.ts'
import { serveChat } from '../realtime/chat.ts'
import { serveCluster } from '../realtime/cluster.ts'
import { createRealtime } from '../realtime/server.ts'
import { serveTerminal } from '../realtime/terminal.ts'
import type { Site } from '../site.ts'
import { createSecondFactorStore } from '../store/sqlite/access/second-factor.ts'
import { createRevocationStore } from '../store/sqlite/access/tokens.ts'
import { composeElsewhere } from './elsewhere.ts'

/** Time limits of a request, ms. They end connections of clients that send their bytes very slowly. */
const slowest = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** Makes the HTTP server, its checks of hosts and tokens, signing in, and the Socket.IO namespaces of the site. */
export function composeEntrance(
  site: Site,
  stepUp: StepUp,
  config: Pick<
    Config,
    'allowedHosts' | 'host' | 'jwtSecret' | 'oidc' | 'password' | 'publicUrl' | 'signInIdleMs' | 'trustedProxies'
  >,
  hashStrength?: HashStrength,
) {
  const { clock, database, dataDir, hide, homelab, journal, now, report, settings } = site
  const jwtSecret =
    config.jwtSecret ?? sealedOrMade(site.secrets, dataDir, 'jwt-secret', () => randomBytes(32).toString('hex'))
  const hasher = createPasswordHasher(hashStrength)
  const kept = { dataDir, secret: jwtSecret, settings, hasher, now, report }
  const password = createPassword({ ...kept, configured: config.password })
  for (const secret of [jwtSecret, password.made]) if (secret !== undefined) hide(secret)
  const { people, signIns } = site
  const tokens = createTokens({
    secret: jwtSecret,
    revoked: createRevocationStore(database, () => oldBefore(clock, 0)),
    signIns,
    people,
    now,
    validFrom: password.validFrom,
    idleMs: config.signInIdleMs,
  })
  // Engine.IO keeps the listeners it finds and passes requests on to them, so the app's listener is registered first and `app` is set later.
  let app: RequestListener | undefined
  // Node would answer a request without a Host with an empty page; the guard says what to do.
  const http = createServer({ ...slowest, requireHostHeader: false }, (request, response) => app?.(request, response))
  const addressOf = createClientAddress(config.trustedProxies)
  const guard = createRequestGuard({
    allowedHosts: [...config.allowedHosts, config.host.toLowerCase()],
    publicUrl: config.publicUrl,
    isTrusted: createIsTrusted(config.trustedProxies),
  })
  const cookie = createSessionCookie(config.publicUrl)
  const refusals = createRefusals(now, (refusal) => {
    site.log(`Not allowed: ${refusal.by || 'nobody'} asked for ${refusal.door}. ${refusal.why}`, 'warning')
    journal.append('access_refused', refusal)
  })
  const refused = (request: IncomingMessage, by: string, door: string, why: string) =>
    refusals({ by, door, why, address: addressOf(request).address })
  const realtime = createRealtime(
    http,
    tokens,
    guard,
    cookie,
    (request) => networkOf(addressOf(request).address),
    refused,
  )
  serveActivity(realtime.namespace('/events'), site.activity, site.shown)
  const clusterFeed = serveCluster(realtime.namespace('/cluster'), {
    cluster: homelab.cluster,
    clock,
    sightOf: (person) => site.gate.sightOf({ person }),
  })
  const chat = serveChat(realtime.namespace('/chat'), {
    ...site,
    untilFree: () => database.untilFree(),
    confirmations: site.gate.confirmations,
    questions: site.gate.questions,
  })
  serveTerminal(realtime.namespace('/terminal'), {
    openable: homelab.openable,
    clock,
    record: (body) => database.durably(() => journal.append('terminal', site.redactor.value(body))),
    activity: site.activity.record,
    stepUp,
    report,
    redact: site.redact,
  })
  /** Ends what is held open by those who count no longer, or for something else. */
  function look() {
    realtime.look()
    chat.look()
    site.streams.look()
  }
  site.onChange(look)
  function drop(identity: Identity) {
    realtime.drop(identity)
    site.streams.drop(identity)
  }
  // The new password is stored only once the server listens: a first start that fails earlier has shown it to nobody.
  http.once('listening', password.keep)
  http.once('listening', site.start)

  return {
    http,
    realtime,
    /** Ends what is held open by those who count no longer. */
    look,
    guard,
    addressOf,
    /** Set only where this start made the password. */
    newPassword: password.made,
    /** Begins to answer requests. @returns the table of the REST routes */
    serve({
      bearer,
      requests,
      ...parts
    }: Omit<
      Parameters<typeof createApp>[0],
      'guard' | 'proofKey' | 'access' | 'stepUp' | 'reach' | 'report' | 'refused' | 'redact' | 'untilFree'
    > &
      Parameters<typeof routeTable>[0] & { bearer: Bearer; requests: OpenRequests }): readonly Route[] {
      const factors = createSecondFactors({
        store: createSecondFactorStore(database),
        box: site.secrets,
        hasher,
        now,
        report,
        durably: database.durably,
        record: (change) => void journal.append('person', change),
      })
      const elsewhere = composeElsewhere(site, config, look)
      const signIn = authRoutes({
        elsewhere,
        tokens,
        guard: createLoginGuard(now),
        passkeys: site.passkeys,
        originOf: createOriginOf(config.publicUrl),
        people,
        links: site.links,
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
        newDevice({ id, name }, { address, method, signIn }) {
          // A person with one sign-in has no other device that could be told.
          const isFirst = !signIns.list(id).some((row) => row.id !== signIn)
          if (isFirst) return
          const text = `${name} signed in on a new device, from ${address} (${method}). If that was not you, change your password.`
          site.activity.tellPerson(id, { at: now(), kind: 'person', level: 'warning', text })
          site.notice({
            person: id,
            notice: {
              kind: 'sign-in',
              level: 'failed',
              title: 'Signed in on a new device',
              body: text,
              hidden: 'Somebody signed in as you on a new device.',
              tag: `signed-in-${signIn}`,
              path: '/settings#people',
            },
          })
        },
        // A token signed by hand acts for the first owner, so what such tokens hold open ends too.
        changed(person) {
          site.channels.forgetPerson(person)
          look()
        },
        record: (event) => database.durably(() => journal.append('sign_in', event)),
      })
      const ofSignIns = signInRoutes({
        signIns,
        list: site.signInList,
        displays: createDisplays(settings),
        factorsOf: (id) => ({
          password: id === firstOwnerId || people.hash(id) !== undefined,
          passkeys: site.passkeys.list(id).length,
          ...factors.stateOf(id),
        }),
        durably: database.durably,
        record: (change) => journal.append('sign_in', change),
        endChannels: (person, why) => site.channels.forgetPerson(person, why),
        ended: look,
      })
      const ways = waysRoutes({
        people,
        passkeys: site.passkeys,
        originOf: createOriginOf(config.publicUrl),
        elsewhere,
      })
      const routes = routeTable({
        ...parts,
        routes: [
          ...withSessionCookie(signIn, { cookie, tokens, ended: drop }),
          ...ways,
          ...ofSignIns,
          ...secondFactorRoutes({ factors, people }),
          ...sshKeyRoutes({ sshKeys: site.sshKeys, people, originOf: createOriginOf(config.publicUrl) }),
          ...parts.routes,
        ],
      })
      const access = createAccess({ tokens, bearer, open: requests, cookie })
      app = createApp({
        ...parts,
        routes,
        proofKey: serverProofKey(dataDir),
        guard,
        access,
        stepUp,
        reach: site.reach,
        report,
        refused,
        redact: site.redact,
        untilFree: () => database.untilFree(),
      })
      return routes
    },
    async close() {
      clusterFeed.close()
      // `io.close` waits for every connection, also for an MCP client that waits for a person's decision.
      const closed = realtime.close()
      http.closeAllConnections()
      await closed
    },
  }
}

export type Entrance = ReturnType<typeof composeEntrance>
