/** Told of each thing as it happens in the server; does not come back where the server is to die there. */
export type Reach = (point: string) => void

/** The kind of work that a life's first message asks for; undefined: any. */
export type JobKind = 'two tasks' | 'two alike'
type Step = { point: string; nth?: number; job?: JobKind; isLate?: true }

/**
 * The named steps at which the server is killed, and the point each stands for. A statement is `begun` before it runs,
 * `written` inside its transaction, and `committed` before anybody is told.
 */
export const steps = {
  'message stored': { point: 'insert runs committed' },
  'tokens streaming': { point: 'token' },
  'turn stored': { point: 'insert entries assistant committed' },
  'card written': { point: 'insert confirmations written' },
  'card stored': { point: 'insert confirmations committed' },
  'decision received': { point: 'update confirmations decision begun' },
  'decision written': { point: 'update confirmations decision written' },
  'claim written': { point: 'insert executions written' },
  'journal append before commit': { point: 'insert journal execution written' },
  'claim and journal committed': { point: 'insert journal execution committed' },
  'request not yet sent': { point: 'request begun' },
  'second of two alike, not yet sent': { point: 'request begun', nth: 2, job: 'two alike' },
  'request sent': { point: 'request sent' },
  'request sent, arriving late': { point: 'request sent', isLate: true },
  'request received': { point: 'request received' },
  'task noted': { point: 'update executions upid committed' },
  'first of its two tasks noted': { point: 'update executions upid committed', job: 'two tasks' },
  'response received': { point: 'response received' },
  'result written': { point: 'insert journal result written' },
  'result stored': { point: 'insert journal result committed' },
  'run ended': { point: 'insert entries done committed' },
} as const satisfies Record<string, Step>

/** Seen by the client, which kills the server as soon as it has its answer. */
export const acknowledgements = {
  'message acknowledged': 'chat:send',
  'decision acknowledged': 'chat:confirm',
} as const

export type ServerStep = keyof typeof steps
export type ClientStep = keyof typeof acknowledgements
export type Kill =
  | { at: ServerStep | ClientStep }
  /** At so many points after the start, whatever they are. */
  | { at: 'point'; count: number }
  /** So long after the work has begun. */
  | { at: 'moment'; ms: number }

const isServerStep = (at: string): at is ServerStep => Object.hasOwn(steps, at)
export const namedSteps = [...Object.keys(steps), ...Object.keys(acknowledgements)] as (ServerStep | ClientStep)[]
/** How long a late request lies on the wire: longer than a restart takes. */
export const lateMs = 600

export const stepOf = ({ at }: Kill): Step | undefined => (isServerStep(at) ? steps[at] : undefined)

/** All named steps in turn, with every third kill at random. */
export function planKills(count: number, random: () => number): Kill[] {
  let named = 0
  return Array.from({ length: count }, (_, index): Kill => {
    if (index % 3 < 2) return { at: namedSteps[named++ % namedSteps.length] ?? 'request received' }
    return index % 2 === 0
      ? { at: 'point', count: 1 + Math.floor(random() * 80) }
      : { at: 'moment', ms: Math.floor(random() * 150) }
  })
}

/** In the server: ends the process, at once and without a word, where `kill` says so. */
export function createReach(kill: Kill | undefined): Reach {
  const step = kill && stepOf(kill)
  let left = kill?.at === 'point' ? kill.count : (step?.nth ?? 1)
  return (point) => {
    if (kill?.at !== 'point' && point !== step?.point) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

/** The fake cluster's speed: tasks and waits take so much less. */
export const tasksPerSecond = 40
