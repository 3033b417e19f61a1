import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Homelab } from 'homelab-ports/ports'
import jwt from 'jsonwebtoken'
import { systemClock } from 'node-kit/clock'
import type { ChatEvents, ChatReplies, ChatRequests, Role } from 'protocol'
import { type Client, createClient } from 'protocol/client'
import { io, type Socket } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import type { Model } from '../../src/agent/model.ts'
import type { ChannelKind } from '../../src/channels/channel.ts'
import type { PushSender } from '../../src/channels/web-push/ports.ts'
import { readConfig } from '../../src/config/config.ts'
import { readInForce, readStartConfig } from '../../src/config/settings-file.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { PublicFetch } from '../../src/lib/public-fetch.ts'
import { compose } from '../../src/process.ts'
import type { Database } from '../../src/store/sqlite/database.ts'
import type { Tool } from '../../src/tools/tool.ts'
import type { Check } from '../../src/watch/check.ts'
import type { BrowserParts } from '../../src/workbench/areas/browser.ts'
import type { WebParts } from '../../src/workbench/areas/web.ts'
import { migratedDatabase } from './migrated-database.ts'
import { builtMemoryWorker, builtPageWorker } from './program.ts'
import { type ScriptedModel, scripted } from './scripted-model.ts'
import { createSimulator } from './simulator.ts'
import { expectTrue } from './true-replies.ts'

export const jwtSecret = 'test-secret-of-more-than-32-characters'
/** How long a screen waits for an event: less than a test has, so that the failure says what did not come. */
const patienceMs = Number(process.env.JARVIS_TEST_WAIT_MS ?? 15_000)
export const password = 'correct-horse-battery'

type Reply<E extends keyof ChatRequests> =
  | ({ ok: true } & ChatReplies[E])
  | { ok: false; error: { code: string; message: string } }

/** One screen: a socket that remembers what it received. */
export type Screen = {
  socket: Socket
  token: string
  /** The acknowledgement, whatever it says. */
  request<E extends keyof ChatRequests>(event: E, payload: unknown): Promise<Reply<E>>
  /** The acknowledgement of something that must work. */
  ask<E extends keyof ChatRequests>(event: E, payload: ChatRequests[E]): Promise<ChatReplies[E]>
  /** The next event of that name not taken before, waiting for it where it has not come. */
  next<E extends keyof ChatEvents>(event: E): Promise<ChatEvents[E]>
  /** All events so far, in order. */
  received: { event: string; payload: Record<string, unknown> }[]
  names(): string[]
}

export type TestJarvis = Awaited<ReturnType<typeof startJarvis>>

export type StartOptions = {
  model?: Model
  /** Further models that may be named. */
  models?: readonly Model[]
  env?: Record<string, string>
  clock?: Clock
  /** A cluster that outlives this server. */
  homelab?: ReturnType<typeof createSimulator>
  /**
   * Nothing goes on in the demo cluster by itself, and no task ends: a fake clock that is put forward by minutes would compute its figures for each
   * 2 s of them.
   */
  clusterStands?: true
  /** One that is not the demo, in its place. */
  remote?: Homelab
  /** Watches or breaks what is stored. */
  database?: (database: Database) => Database
  /** Fetches the metadata documents of clients whose names are addresses. */
  fetchDocument?: PublicFetch
  /** In place of the network and of Chromium, for pages. */
  browser?: BrowserParts
  /** In addition to the shipped tools. */
  tools?: readonly Tool[]
  /** Channels in place of the shipped ones. */
  channels?: readonly ChannelKind[]
  /** Checks in place of the shipped ones. */
  checks?: readonly Check[]
  /** In place of the web. */
  web?: Partial<WebParts>
  /** Where messages to browsers go. */
  push?: PushSender
  dataDir?: string
  /** A new data dir has all checks on. Otherwise those are off that run commands on nodes by themselves. */
  checksRun?: true
  speed?: number
  /** Passwords are hashed as in production. Otherwise as cheaply as argon2id allows. */
  hashesAsInProduction?: true
  /**
   * The memory's thread starts some seconds after the server, as in production. Otherwise with the first request to it: the thread takes more CPU
   * time than the start.
   */
  memoryByItself?: true
  /** The built dashboard is served too. */
  dashboardDir?: string
  /** Called by an operator's restart. */
  restart?: () => void
  /** Reads the data dir's settings as a start does, and answers with the models that they name. */
  fromFiles?: true
  /** Composes the process in place of the shipped function. */
  compose?: typeof compose
  /** Takes what ends the server, where it outlives one test. */
  atEnd?: (end: () => Promise<void>) => void
  /** Further variables for a start that begins now. */
  nextEnv?: Record<string, string>
}

/** The real thing on a free port, with the demo cluster at 1,000 times its speed. Ends with the test. */
export async function startJarvis(options: StartOptions = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  const databasePath = join(dataDir, 'jarvis.db')
  if (options.checksRun !== true && existsSync(dataDir) && !existsSync(databasePath)) migratedDatabase(dataDir)
  const env = {
    JARVIS_DATA_DIR: dataDir,
    JARVIS_PASSWORD: password,
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'silent',
    PORT: '0',
    ...options.env,
  }
  const config = options.fromFiles === true ? readStartConfig(env) : readConfig(env)
  const clock = options.clock ?? systemClock
  const model = options.fromFiles === true ? undefined : (options.model ?? scripted())
  const memoryWorker = builtMemoryWorker()
  const homelab =
    options.homelab ??
    createSimulator({
      clock: options.clusterStands === true ? { ...clock, after: () => () => {} } : clock,
      protectedTargets: config.protectedTargets,
      speed: options.speed ?? 1_000,
    })
  const dashboardDir = options.dashboardDir ?? join(dataDir, 'no-dashboard')
  const jarvis = (options.compose ?? compose)(
    config,
    { version: '0.0.0-test', dashboardDir },
    {
      clock,
      ...(model && { model }),
      homelab: options.remote ?? homelab,
      program: {
        nextConfig: () => readStartConfig({ ...env, ...options.nextEnv }),
        settings: () => readInForce(env, env),
        restart: options.restart ?? (() => {}),
      },
      memoryWorker,
      ...(options.memoryByItself !== true && { memoryOnUse: true as const }),
      models: options.models,
      database: options.database,
      fetchDocument: options.fetchDocument,
      web: { pageWorker: builtPageWorker(), ...options.web },
      push: options.push,
      channels: options.channels,
      checks: options.checks,
      ...(options.tools && { tools: options.tools }),
      browser: options.browser,
      ...(options.hashesAsInProduction !== true && { hashStrength: { memoryKib: 8, passes: 1, lanes: 1 } }),
    },
  )
  // Client and server are one process here: after a pause of 5 s, Node's default, one would close what the other just uses.
  jarvis.http.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => jarvis.http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`
  const screens: Screen[] = []

  let isStopped = false
  function disconnect() {
    for (const { socket } of screens.splice(0)) socket.disconnect()
  }
  async function stop() {
    if (isStopped) return
    isStopped = true
    disconnect()
    await jarvis.stop(5_000)
  }
  const atEnd = options.atEnd ?? onTestFinished
  atEnd(async () => {
    await stop()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  })

  /** Gives the password where it is asked for again, as the dashboard's dialog does. Fails where a reply is not as its route describes it. */
  async function rest(path: string, init: RequestInit & { role?: Role; json?: unknown } = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${tokenFor(init.role ?? 'operator')}`,
      ...(init.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(init.headers as Record<string, string> | undefined),
    }
    const body = init.json === undefined ? {} : { body: JSON.stringify(init.json) }
    const given = jarvis.newPassword ?? password
    const ask = () => fetch(url + path, { ...init, headers, ...body })
    const response = await withStepUp(url, headers.authorization, ask, given)
    await expectTrue(jarvis.routes, init.method ?? 'GET', path, response)
    return response
  }

  return {
    url,
    hub: jarvis.hub,
    routes: jarvis.routes,
    requests: jarvis.requests,
    namespaces: jarvis.namespaces,
    dataDir,
    /** Its clock's. */
    now: () => clock.now(),
    homelab,
    controls: homelab.controls,
    guest: (vmid: number) => homelab.cluster.state().guests.find((guest) => guest.vmid === vmid),
    /** All screens leave. */
    disconnect,
    stop,
    token: tokenFor,
    newPassword: jarvis.newPassword,
    async connect(namespace = '/chat', role: Role = 'operator', token = tokenFor(role)): Promise<Screen> {
      const screen = await openScreen(url + namespace, token)
      screens.push(screen)
      return screen
    },
    rest,
    /** The typed client of somebody with this role, over `rest`. */
    as: (role: Role): Client => createClient({ url: '', fetch: (path, asked) => rest(path, { ...asked, role }) }),
    /** Gives the password for this token, so that for five minutes it may do what asks for it. */
    stepUp: (token: string) => stepUp(url, `Bearer ${token}`, jarvis.newPassword ?? password),
    /** Fails where the script was not played to its end. */
    scriptIsDone: () => (model as ScriptedModel).left() === 0,
  }
}

/** Gives the password where it is asked for again, and repeats the request once. */
export async function withStepUp(url: string, authorization: string, ask: () => Promise<Response>, given = password) {
  const response = await ask()
  if (response.status !== 403 || !(await response.clone().text()).includes('step_up_required')) return response
  await stepUp(url, authorization, given)
  return ask()
}

async function stepUp(url: string, authorization: string, given: string): Promise<void> {
  const response = await fetch(`${url}/api/auth/step-up`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ password: given }),
  })
  if (!response.ok) throw new Error(`step-up: ${response.status} ${await response.text()}`)
}

let issued = 0
/** For two days, since a test's clock may be a day ahead. No two are the same, so that one can be revoked alone. */
export const tokenFor = (role: Role): string =>
  jwt.sign({ sub: role, role }, jwtSecret, { algorithm: 'HS256', issuer: 'jarvis', expiresIn: 2 * 86_400 + issued++ })

function openScreen(url: string, token: string): Promise<Screen> {
  const socket = io(url, { auth: { token }, forceNew: true, transports: ['websocket'], reconnection: false })
  const received: Screen['received'] = []
  const taken = new Map<string, number>()
  const wake: (() => void)[] = []
  socket.onAny((event: string, payload: Record<string, unknown>) => {
    received.push({ event, payload })
    for (const run of wake.splice(0)) run()
  })
  const screen: Screen = {
    socket,
    token,
    received,
    names: () => received.map(({ event }) => event),
    request: (event, payload) => socket.timeout(60_000).emitWithAck(event, payload),
    async ask(event, payload) {
      const reply = await screen.request(event, payload)
      if (!reply.ok) throw new Error(`${event}: ${reply.error.code}: ${reply.error.message}`)
      return reply
    },
    next(event) {
      const index = taken.get(event) ?? 0
      taken.set(event, index + 1)
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          const wordsOf = ({ event, payload }: Screen['received'][number]) =>
            event === 'chat:error' ? `${event} ${JSON.stringify(payload)}` : event
          const came = received.map(wordsOf).join(', ') || 'nothing'
          reject(new Error(`${event} did not come within ${patienceMs / 1000} s. What came: ${came}.`))
        }, patienceMs).unref()
        // A test that has ended waits for nothing more.
        socket.on('disconnect', () => clearTimeout(late))
        const look = () => {
          const found = received.filter((item) => item.event === event)[index]
          if (found === undefined) return void wake.push(look)
          clearTimeout(late)
          resolve(found.payload as never)
        }
        look()
      })
    },
  }
  return new Promise((resolve, reject) => {
    socket.on('connect', () => resolve(screen))
    socket.on('connect_error', reject)
  })
}
