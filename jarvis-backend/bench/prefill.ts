import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { noUsage } from 'protocol'
import { asClusterData } from '../src/agent/persona.ts'
import { clusterSummary } from '../src/homelab/summary.ts'
import { newId } from '../src/lib/ids.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { createSimulator } from '../test/support/simulator.ts'

/** A turn is measured in each but once: 20 rounds of 40, and one to warm up. */
const shortSessions = 21 * 40
const question = 'How is the cluster, and is there anything I should look at before the weekend?'
const answer =
  'Three of four nodes are online and quorate. The hottest is pve at 81 °C, for frigate decodes on its CPU. '

/** Writes a session of so many messages, half of them answers. @param say the answer to the message at this place */
export function writeSession(
  store: SqliteTranscriptStore,
  messages: number,
  { at, say, context }: { at: number; say: (at: number) => string; context?: string },
): string {
  const sessionId = newId('ses')
  store.createSession({ id: sessionId, title: 'Bench', source: 'chat', at })
  let seq = 0
  for (let i = 0; i < messages; i += 2) {
    const runId = newId('run')
    const place = () => ({ seq: seq++, runId, at })
    const messageId = newId('msg')
    const said = { messageId, text: question, by: 'bench' }
    store.addRun({ id: runId, sessionId, origin: { kind: 'chat', ...said }, status: 'queued', at })
    store.append(sessionId, { type: 'user', ...place(), ...said, context })
    store.append(sessionId, {
      type: 'assistant',
      ...place(),
      model: 'anthropic/bench',
      content: [{ type: 'text', text: say(i) }],
      usage: noUsage,
      stopReason: 'end_turn',
    })
    store.append(sessionId, { type: 'done', ...place(), usage: noUsage, stopReason: 'end_turn' })
    store.setRunStatus(runId, 'ended')
  }
  store.reserveSeq(sessionId, seq, at)
  return sessionId
}

/** Writes one session of 5,000 messages, one of 50 and many of 10 into a new database, and closes it. */
export function prefill(dataDir: string): { long: string; middle: string; takeShort: () => string } {
  const { cluster } = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const context = asClusterData(clusterSummary(cluster.state(), []))
  cluster.close()
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  const store = new SqliteTranscriptStore(database)

  const session = (messages: number) =>
    writeSession(store, messages, { at: Date.now(), say: () => answer.repeat(3), context })
  const { long, middle, short } = database.atomically(() => ({
    long: session(5_000),
    middle: session(50),
    short: Array.from({ length: shortSessions }, () => session(10)),
  }))
  database.close()
  const takeShort = () => {
    const id = short.pop()
    if (id === undefined) throw new Error('more rounds than there are sessions of 10 messages')
    return id
  }
  return { long, middle, takeShort }
}
