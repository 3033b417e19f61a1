import { randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Card, ChatReplies, ChatRequests, Entry, Snapshot } from 'protocol'
import { io, type Socket } from 'socket.io-client'
import type { Find } from './findings.ts'
import { type Life, LifeEnded } from './processes.ts'

/** The fate of a card: decided, or left to wait until the end. */
export type Fate = 'approve' | 'deny' | 'leave'
/** One message, and all that the operator knows of it. */
export type Job = {
  message: string
  /** By vmid. */
  fates: ReadonlyMap<number, Fate>
  calls: number
  requestId: string
  /** The one in whose session it is said; absent: in a new one. */
  after?: Job
  sent?: ChatReplies['chat:send']
}
export type SeenCard = {
  toolUseId: string
  sessionId: string
  vmid: number
  expiresAt: number
  decision?: { confirmed: boolean; requestId: string; isAcknowledged: boolean }
}

const patienceMs = 15_000

/** A careful client: says everything again, with the same requestId, until it has an answer. */
export function createOperator(jwtSecret: string, find: Find) {
  const jobs: Job[] = []
  const cards = new Map<string, SeenCard>()
  const settled = new Set<string>()
  const endedRuns = new Set<string>()
  const wake = new Set<() => void>()
  let live: { socket: Socket; life: Life } | undefined
  let onAcknowledged = (_event: string) => {}

  const token = () => jwt.sign({ sub: 'operator', role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: '1h' })
  const changed = () => {
    for (const run of [...wake]) run()
  }

  /** @throws LifeEnded */
  async function request<E extends keyof ChatRequests>(event: E, payload: ChatRequests[E]): Promise<ChatReplies[E]> {
    if (live === undefined || live.life.hasEnded()) throw new LifeEnded()
    const { socket, life } = live
    type Reply = ({ ok: true } & ChatReplies[E]) | { ok: false; error: { code: string; message: string } }
    const reply = await (socket.timeout(patienceMs).emitWithAck(event, payload) as Promise<Reply>).catch(() =>
      gone(life, socket),
    )
    if (!reply.ok) throw new Error(`${event} was answered ${reply.error.code}: ${reply.error.message}`)
    return reply
  }

  /** Rejects with LifeEnded once the server is dead; a drop by a server that lives is a fault. */
  const gone = async (life: Life, socket: Socket): Promise<never> => {
    if (socket.connected) {
      await Promise.race([life.ended, new Promise((closed) => socket.once('disconnect', closed))])
    }
    await Promise.race([life.ended, new Promise((waited) => setTimeout(waited, patienceMs).unref())])
    throw life.hasEnded() ? new LifeEnded() : new Error('The server lives and does not answer.')
  }

  async function send(job: Job) {
    const sessionId = job.after?.sent?.sessionId
    const { message, requestId } = job
    job.sent = await request('chat:send', { message, requestId, ...(sessionId !== undefined && { sessionId }) })
    onAcknowledged('chat:send')
    changed()
  }

  async function confirm({ toolUseId, sessionId, decision }: SeenCard) {
    if (decision === undefined || decision.isAcknowledged) return
    const { confirmed, requestId } = decision
    await request('chat:confirm', { sessionId, toolUseId, confirmed, requestId })
    decision.isAcknowledged = true
    onAcknowledged('chat:confirm')
    changed()
  }

  /** A wrong answer ends the life's work; the death of the server is no fault. */
  function go(work: Promise<void>) {
    work.catch((error: unknown) => {
      if (!(error instanceof LifeEnded)) find('faults', String(error))
    })
  }

  const fateOf = (vmid: number): Fate => jobs.find(({ fates }) => fates.has(vmid))?.fates.get(vmid) ?? 'leave'

  function decide(card: SeenCard, fate: Fate) {
    if (card.decision !== undefined || fate === 'leave') return
    card.decision = { confirmed: fate === 'approve', requestId: randomUUID(), isAcknowledged: false }
    go(confirm(card))
  }

  function seeCard(sessionId: string, { toolUseId, toolInput, expiresAt }: Card) {
    const known = cards.get(toolUseId)
    if (known !== undefined && known.expiresAt !== expiresAt) {
      find('lostCards', toolUseId, `expires at ${expiresAt} and not at ${known.expiresAt} as before`)
    }
    const card = known ?? { toolUseId, sessionId, vmid: Number(toolInput.vmid), expiresAt }
    cards.set(toolUseId, card)
    decide(card, fateOf(card.vmid))
  }

  function seeEntry(entry: Entry) {
    if (entry.type === 'done' || entry.type === 'error') endedRuns.add(entry.runId)
    if (entry.type === 'error') find('faults', `the run ${entry.runId} ended with ${entry.code}: ${entry.error}`)
    if (entry.type === 'tool_result' || entry.type === 'blocked') settled.add(entry.toolUseId)
    if (entry.type === 'confirm_resolved' && entry.decision !== 'approved') settled.add(entry.toolUseId)
  }

  function seeSnapshot({ sessionId, entries, pending }: Snapshot) {
    for (const entry of entries) seeEntry(entry)
    const waiting = new Set(pending.map(({ toolUseId }) => toolUseId))
    for (const card of cards.values()) {
      if (card.sessionId === sessionId && card.decision === undefined && !waiting.has(card.toolUseId)) {
        find('lostCards', card.toolUseId, 'waits no more, and nobody has decided')
      }
    }
    for (const card of pending) seeCard(sessionId, card)
  }

  const cardsOf = ({ fates }: Job) => [...cards.values()].filter(({ vmid }) => fates.has(vmid))
  const isLeft = (card: SeenCard) => card.decision === undefined
  const sessionOf = ({ sent }: Job) => sent?.sessionId

  /** Nothing more comes of it for now: it has ended, or waits for a card that is left to wait. */
  function isAtRest(job: Job): boolean {
    const { sent } = job
    if (sent === undefined) return false
    if (endedRuns.has(sent.runId)) return true
    const seen = cardsOf(job)
    const waits = seen.length === job.calls && seen.every((card) => isLeft(card) || settled.has(card.toolUseId))
    if (waits && seen.some(isLeft)) return true
    return jobs.some((other) => other !== job && sessionOf(other) === sent.sessionId && cardsOf(other).some(isLeft))
  }

  return {
    jobs,
    cards,
    /** Called with the event of each acknowledgement. */
    set onAcknowledged(run: (event: string) => void) {
      onAcknowledged = run
    },

    /** Joins what it knows of, and says again what was not acknowledged. @throws LifeEnded */
    async connect(life: Life) {
      live?.socket.disconnect()
      const socket = io(`${life.url}/chat`, {
        auth: { token: token() },
        forceNew: true,
        transports: ['websocket'],
        reconnection: false,
      })
      live = { socket, life }
      socket.onAny((event: string, payload: Record<string, unknown>) => {
        if (life.hasEnded()) return
        const type = event.slice('chat:'.length)
        seeEntry({ ...payload, type } as Entry)
        if (type === 'confirm_needed') seeCard(String(payload.sessionId), payload as unknown as Card)
        changed()
      })
      await new Promise<void>((resolve, reject) => {
        socket.on('connect', resolve)
        socket.on('connect_error', () => gone(life, socket).catch(reject))
        void life.ended.then(() => reject(new LifeEnded()))
      })
      const again = [...cards.values()].map(confirm)
      for (const work of again) work.catch(() => {})
      for (const job of jobs) if (job.sent === undefined) await send(job)
      for (const sessionId of new Set(jobs.map(sessionOf))) {
        if (sessionId !== undefined) seeSnapshot((await request('chat:attach', { sessionId })).snapshot)
      }
      await Promise.all(again)
      changed()
    },

    /** @throws LifeEnded */
    async say(job: Job) {
      jobs.push(job)
      await send(job)
    },

    /** Waits until every message is answered or waits for a card that is left. @throws LifeEnded */
    async settled() {
      if (live === undefined) throw new LifeEnded()
      const { life, socket } = live
      let timer: NodeJS.Timeout | undefined
      let listen = () => {}
      const resting = new Promise<void>((resolve, reject) => {
        listen = () => {
          if (jobs.every(isAtRest)) resolve()
        }
        wake.add(listen)
        timer = setTimeout(() => reject(new Error(`no rest: ${stuck()}`)), patienceMs)
        listen()
      })
      try {
        await Promise.race([resting, gone(life, socket)])
      } finally {
        clearTimeout(timer)
        wake.delete(listen)
      }
    },

    /** Decides what was left, by turns. */
    decideLeft() {
      const left = [...cards.values()].filter(isLeft)
      left.forEach((card, index) => {
        decide(card, index % 2 === 0 ? 'approve' : 'deny')
      })
      return left.length
    },

    /** Asks over REST. @returns the body. */
    async fetch(method: string, path: string): Promise<unknown> {
      const headers = { authorization: `Bearer ${token()}` }
      return (await fetch(`${live?.life.url}${path}`, { method, headers })).json()
    },

    disconnect: () => live?.socket.disconnect(),
  }

  function stuck(): string {
    const waiting = jobs.filter((job) => !isAtRest(job))
    return waiting.map(({ message, sent }) => `${message.split('\n')[0]} (${sent?.runId ?? 'not sent'})`).join(', ')
  }
}

export type Operator = ReturnType<typeof createOperator>
