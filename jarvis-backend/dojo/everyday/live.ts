import type { ConfirmationRow } from 'protocol'
import { connect } from '../../bench/client.ts'
import type { Model } from '../../src/agent/model.ts'
import { demoModel } from '../../src/providers/index.ts'
import { startTelegram } from '../../test/fake-services/telegram.ts'
import { type Lab, openLab, type TranscriptEntry } from '../lab.ts'
import { isSameCall } from '../task.ts'
import type { Conversation, Expected, House, Line, Turn } from './conversation.ts'
import { createDoors, type Doors, until } from './doors.ts'
import type { Played, Row } from './measure.ts'
import { filled, type Stage, scriptedBy } from './script.ts'

/** A house in which conversations are played. */
export type LivedIn = { play(task: Conversation): Promise<Played>; close(): Promise<void> }

/** Opens a JARVIS of its own for a house. @param memoryWorker as of `openLab` */
export async function openHouse(house: House, memoryWorker?: URL): Promise<LivedIn> {
  const telegram = house.tasks.some(({ door }) => door === 'telegram')
    ? await startTelegram(undefined, () => {})
    : undefined
  let stage: Stage | undefined
  let lab: Lab | undefined
  const demo: Model = demoModel({
    cluster() {
      if (lab === undefined) throw new Error('The house is not open yet.')
      return lab.cluster.state()
    },
  })
  const opened = await openLab({
    model: scriptedBy(() => stage, demo),
    profile: 'balanced',
    desk: house.desk && { planted: [], texts: house.desk },
    env: telegram && {
      JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
      JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
      JARVIS_PUBLIC_URL: 'https://jarvis.example.org',
    },
    memoryWorker,
  })
  lab = opened
  await beginNotes(opened)
  const doors = createDoors(opened, telegram)
  const person = await sitDown(opened, () => stage)
  return {
    async play(task) {
      const played: Played = { id: task.id, rows: [], problems: [], gap: task.gap }
      try {
        await readNotes(opened)
        let sessionId: string | undefined
        for (const [index, turn] of task.turns.entries()) {
          await prepare(opened, turn)
          if (turn.isNextDay) sessionId = undefined
          const now: Stage = { turn, made: new Map() }
          stage = now
          const before = sessionId === undefined ? 0 : (await opened.entries(sessionId)).length
          sessionId = await playTurn({ lab: opened, doors, task, turn, sessionId })
          stage = undefined
          const entries = (await opened.entries(sessionId)).slice(before)
          const judged = judge(entries, now)
          played.rows.push(...judged.rows.map((row) => ({ ...row, task: task.id, turn: index + 1 })))
          played.problems.push(...judged.problems.map((problem) => `turn ${index + 1}: ${problem}`))
        }
      } catch (error) {
        played.problems.push(error instanceof Error ? error.message : String(error))
      }
      stage = undefined
      played.problems.push(...person.problems.splice(0))
      return played
    },
    async close() {
      person.leave()
      await opened.close()
      await telegram?.stop()
    },
  }
}

/** States of a beat that goes on. */
const unfinished: ReadonlySet<string> = new Set(['claimed', 'running', 'waiting'])

/** The cluster and the memory as a turn finds them. */
async function prepare(lab: Lab, { before, isNextDay }: Turn): Promise<void> {
  lab.prepare(before.flatMap((setup) => (setup.do === 'heartbeat' ? [] : [setup])))
  if (before.some((setup) => setup.do === 'heartbeat')) {
    const slots = async () =>
      ((await lab.rest('GET', '/api/jobs/job_heartbeat/slots')) as { items: { state: string }[] }).items
    const beats = (await slots()).length
    await lab.rest('POST', '/api/heartbeat/run')
    await until(async () => {
      const now = await slots()
      return now.length > beats && now.every(({ state }) => !unfinished.has(state))
    })
  }
  if (isNextDay) await readNotes(lab)
}

/** Has the notes read as they are now, so that the next words recall them. */
async function readNotes(lab: Lab): Promise<{ chunks: number }> {
  await lab.rest('POST', '/api/memory/reindex')
  let index = { state: '', chunks: 0 }
  await until(async () => {
    index = (await lab.rest('GET', '/api/memory/status')) as typeof index
    return index.state === 'ready'
  })
  return index
}

/** Gives a house its first note. From then on the notes are looked into at each message. */
async function beginNotes(lab: Lab): Promise<void> {
  // The thread of the memory starts with the first request.
  await readNotes(lab)
  await lab.rest('PUT', '/api/memory/files/memory/house.md', { text: '# The house\n\nFour nodes and their guests.\n' })
  const { chunks } = await readNotes(lab)
  // The thread tells the server of them a little later.
  await until(async () => {
    const { parts } = (await lab.rest('GET', '/api/status')) as { parts: { name: string; text: string }[] }
    return parts.some(({ name, text }) => name === 'Memory' && text.startsWith(`${chunks} passages`))
  })
}

/** Plays one turn to its end. @returns its session */
async function playTurn(at: {
  lab: Lab
  doors: Doors
  task: Conversation
  turn: Turn
  sessionId: string | undefined
}): Promise<string> {
  const { lab, doors, task, turn, sessionId } = at
  if (task.door === 'mcp') {
    let id = `ses_mcp_${task.id}`
    for (const [tool, input] of turn.calls.flat()) {
      const read = sessionId === undefined ? [] : await lab.entries(id)
      id = await doors.call(task.id, tool, filled(input, resultsOf(read)))
    }
    return id
  }
  if (turn.says === undefined) throw new Error('A turn without words is for MCP alone.')
  const read = sessionId === undefined ? [] : resultsOf(await lab.entries(sessionId))
  const [head = '', ...rest] = turn.says.split('$LAST ')
  const says = rest.length === 0 ? head : head + filled(`$LAST ${rest.join('$LAST ')}`, read)
  const started = await doors.send(task.door, { says, sessionId, file: turn.file }, task.id)
  if (started.runId !== undefined) await ended(lab, started.sessionId, started.runId)
  return started.sessionId
}

/** Waits for the end of a run. @throws Error after a minute */
async function ended(lab: Lab, sessionId: string, runId: string): Promise<void> {
  const over = new AbortController()
  const told = new Promise<void>((resolve, reject) => {
    const hear = (name: string, event: { runId?: string }) => {
      if ((name === 'chat:done' || name === 'chat:error') && event.runId === runId) resolve()
    }
    lab.socket.onAny(hear)
    const late = setTimeout(() => reject(new Error('A turn did not end within a minute.')), 60_000)
    over.signal.addEventListener('abort', () => {
      lab.socket.offAny(hear)
      clearTimeout(late)
    })
  })
  try {
    await lab.socket.emitWithAck('chat:attach', { sessionId })
    const isOver = (await lab.entries(sessionId)).some(
      (entry) => (entry.type === 'done' || entry.type === 'error') && entry.runId === runId,
    )
    if (!isOver) await told
  } finally {
    over.abort()
  }
}

const resultsOf = (entries: readonly TranscriptEntry[]): string[] =>
  entries.flatMap(({ type, result }) => (type === 'tool_result' && result !== undefined ? [result] : []))

/** The line of a turn that a call is. */
function lineOf(
  { turn, made }: Stage,
  id: string,
  call: { name: string; input: Record<string, unknown> },
): Line | undefined {
  return (
    made.get(id) ??
    turn.calls.flat().find(([name, given]) => isSameCall([name, given], call, (mark) => mark.startsWith('$LAST')))
  )
}

/** A person who allows the cards of the turn that is played, as its lines say. */
async function sitDown(lab: Lab, stage: () => Stage | undefined) {
  const [events] = await connect(lab, ['/events'])
  if (events === undefined) throw new Error('no socket')
  const problems: string[] = []
  const seen = new Set<string>()
  async function decide() {
    const { items } = (await lab.rest('GET', '/api/confirmations')) as { items: ConfirmationRow[] }
    for (const { toolUseId, callId, toolName, toolInput, decision } of items) {
      if (decision !== undefined || seen.has(toolUseId)) continue
      seen.add(toolUseId)
      const now = stage()
      const [, , expected] = (now && lineOf(now, callId ?? toolUseId, { name: toolName, input: toolInput })) ?? []
      const confirmed = expected === 'runs' || expected === 'asks'
      await lab.rest('POST', `/api/confirmations/${toolUseId}`, { confirmed })
    }
  }
  let deciding = Promise.resolve()
  events.on('changed', () => {
    deciding = deciding.then(decide).catch((error: Error) => void problems.push(error.message))
  })
  return {
    problems,
    leave() {
      events.disconnect()
      events.io.engine.close()
    },
  }
}

/** The gate's answers to the calls of a turn, from what JARVIS kept of it. */
function judge(entries: readonly TranscriptEntry[], stage: Stage) {
  const rows: Omit<Row, 'task' | 'turn'>[] = []
  const problems: string[] = []
  const left = new Set(stage.turn.calls.flat())
  const judged = new Set<string>()
  const about = (type: string, id: string) =>
    entries.find((entry) => entry.type === type && (entry.callId ?? entry.toolUseId) === id)
  for (const { content = [] } of entries.filter(({ type }) => type === 'assistant')) {
    for (const item of content) {
      if (item.type !== 'tool_call') continue
      const { toolUseId: id, toolName: tool, toolInput } = item
      const line = lineOf(stage, id, { name: tool, input: toolInput })
      if (line !== undefined) left.delete(line)
      const expected: Expected = line?.[2] ?? 'runs'
      const [card, refusal, use] = (['confirm_needed', 'blocked', 'tool_use'] as const).map((type) => about(type, id))
      const result = about('tool_result', id)
      const came = card !== undefined ? 'asked' : refusal !== undefined ? 'refused' : 'ran'
      const by = card ?? refusal
      if (came === 'ran' && use === undefined) {
        problems.push(`${tool} was not judged: ${result?.result ?? 'no result'}`)
        continue
      }
      rows.push({ tool, input: JSON.stringify(toolInput), expected, came, by: by?.rule, because: by?.reason })
      judged.add(id)
      if (use !== undefined && result?.isError === true && !stage.turn.mayFail)
        problems.push(`${tool} failed: ${result.result}`)
    }
  }
  for (const { type, callId, toolUseId = '', toolName } of entries)
    if (type === 'confirm_needed' && !judged.has(callId ?? toolUseId)) problems.push(`${toolName} asked by itself`)
  for (const [tool] of left) problems.push(`${tool} was not called`)
  for (const { type, error } of entries) if (type === 'error') problems.push(String(error))
  if (stage.turn.recalls && !entries.some(({ type }) => type === 'recalled')) problems.push('nothing was recalled')
  return { rows, problems }
}
