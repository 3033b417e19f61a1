import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Registry } from 'house'
import type { PersonRef } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { type ClientAddressOf, networkOf } from '../auth/client-address.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import type { Gate } from '../calls/room.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { seldom } from '../lib/seldom.ts'
import { serveActivity } from './activity.ts'
import { Answers } from './answer.ts'
import { ChatWatches, chatRequests } from './chat.ts'
import { serveCluster } from './cluster.ts'
import type { SocketRequest } from './request.ts'
import { Realtime } from './server.ts'
import { Terminals, terminalRequests } from './terminal.ts'

/** The last room of a site. It resumes cards, questions and runs of the previous process. Emits `questions.changed`. */
export const doorsRoom = defineRoom({
  name: 'doors',
  open(needs: {
    facts: JarvisFacts
    formerCluster: { isAnother: boolean; leave(): void; keep(): void }
    gate: Pick<Gate, 'grants' | 'questions'>
    runs: Pick<Runs, 'resume' | 'goesOn'>
  }) {
    const { facts, formerCluster, gate, runs } = needs
    const questionsChanged = facts.teller('questions.changed')
    return {
      resume() {
        gate.grants.resume()
        formerCluster.leave()
        runs.resume(!formerCluster.isAnother)
        gate.questions.leave((...run) => runs.goesOn(...run))
        questionsChanged(gate.questions.open())
        formerCluster.keep()
      },
    }
  },
})

/** The parts of earlier rooms that the sockets need. */
export type SocketsNeeds = {
  foundation: Pick<
    Foundation,
    'activity' | 'clock' | 'database' | 'journal' | 'log' | 'now' | 'redact' | 'redactor' | 'report' | 'streams'
  >
  facts: JarvisFacts
  /** The socket requests of all rooms. */
  requests: Pick<Registry<SocketRequest>, 'list'>
  http: HttpServer
  tokens: Tokens
  guard: RequestGuard
  cookie: SessionCookie
  addressOf: ClientAddressOf
  stepUp: StepUp
  homelab: Pick<ComposedHomelab, 'cluster' | 'openable'>
  gate: Pick<Gate, 'confirmations' | 'questions' | 'sightOf'>
  runs: Runs
  store: Pick<TranscriptStore, 'replyTo' | 'rememberReply'>
  reach: SessionReach
  /** Returns functions that limit data to the texts that a person may read. */
  shown(person: PersonRef | undefined): Shown
  /** Journals that a request was refused for lack of rights. */
  refused(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
  /** Logs that a socket was refused because its person has too many. */
  limited(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
}

/** The Socket.IO namespaces, which answer the requests of all rooms. Listens to `person.changed`. */
export const socketsRoom = defineRoom({
  name: 'sockets',
  open(needs: SocketsNeeds) {
    const { foundation, facts, homelab, gate, runs, store, reach, stepUp, addressOf } = needs
    const { activity, clock, database, journal, log, now, redact, redactor, report, streams } = foundation
    const realtime = new Realtime({
      http: needs.http,
      tokens: needs.tokens,
      guard: needs.guard,
      cookie: needs.cookie,
      networkOf: (request) => networkOf(addressOf(request).address),
      refused: needs.refused,
      limited: needs.limited,
      faulted: seldom(now, (what) => log(what, 'warning')),
    })
    serveActivity(realtime.namespace('/events'), activity, needs.shown)
    const clusterFeed = serveCluster(realtime.namespace('/cluster'), {
      cluster: homelab.cluster,
      clock,
      sightOf: (person) => gate.sightOf({ person }),
    })
    const watches = new ChatWatches(runs, reach)
    const terminals = new Terminals({
      openable: homelab.openable,
      clock,
      record: (body) => database.durably(() => journal.append('terminal', redactor.value(body))),
      activity: (line) => activity.record(line),
      report,
    })
    terminals.serve(realtime.namespace('/terminal'))
    const answers = new Answers({ reach, stepUp, report, redact, untilFree: () => database.untilFree() })
    function look() {
      realtime.look()
      watches.look()
      streams.look()
    }
    facts.on('person.changed', look)
    const { confirmations, questions } = gate
    return {
      contributes: {
        requests: [
          ...chatRequests({ runs, watches, confirmations, questions, store, now }),
          ...terminalRequests(terminals),
        ],
      },
      realtime,
      resume() {
        realtime.serve(needs.requests.list(), answers)
      },
      /** Ends the sockets and streams of people who may no longer sign in, or whose role changed. */
      look,
      /** Ends the sockets and streams of one token. */
      drop(identity: Identity) {
        realtime.drop(identity)
        streams.drop(identity)
      },
      async close() {
        clusterFeed.close()
        // `io.close` waits for every connection, also for an MCP client that waits for a person's decision.
        const closed = realtime.close()
        needs.http.closeAllConnections()
        await closed
      },
    }
  },
})
