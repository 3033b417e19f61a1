/** Told of each thing as it happens in the server; does not come back where the server is to die there. */
export type Reach = (point: string) => void

/**
 * The named steps at which the server is killed, and the point each stands for. A statement is `begun` before it runs,
 * `written` inside its transaction, and `committed` before anybody is told.
 */
export const steps = {
  'message stored': 'insert runs committed',
  'tokens streaming': 'token',
  'turn stored': 'insert entries assistant committed',
  'card written': 'insert confirmations written',
  'card stored': 'insert confirmations committed',
  'decision received': 'update confirmations decision begun',
  'decision written': 'update confirmations decision written',
  'claim written': 'insert executions written',
  'journal append before commit': 'insert journal execution written',
  'claim committed': 'insert executions committed',
  'request not yet sent': 'request begun',
  'request sent': 'request sent',
  'request sent, arriving late': 'request sent',
  'request received': 'request received',
  'response received': 'response received',
  'result written': 'insert journal result written',
  'result stored': 'insert journal result committed',
  'run ended': 'insert entries done committed',
} as const

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

export const isServerStep = (at: string): at is ServerStep => Object.hasOwn(steps, at)
export const namedSteps = [...Object.keys(steps), ...Object.keys(acknowledgements)] as (ServerStep | ClientStep)[]
/** The task is noted by its UPID: a step of its own once it is reached at all. */
export const lateMs = 600

/** All named steps in turn, with every third kill at random. */
export function planKills(count: number, random: () => number): Kill[] {
  let named = 0
  return Array.from({ length: count }, (_, index): Kill => {
    if (index % 3 < 2) return { at: namedSteps[named++ % namedSteps.length] ?? 'claim committed' }
    return index % 2 === 0
      ? { at: 'point', count: 1 + Math.floor(random() * 80) }
      : { at: 'moment', ms: Math.floor(random() * 150) }
  })
}

/** In the server: ends the process, at once and without a word, where `kill` says so. */
export function createReach(kill: Kill | undefined): Reach {
  const wanted = kill !== undefined && isServerStep(kill.at) ? steps[kill.at] : undefined
  let left = kill?.at === 'point' ? kill.count : Number.POSITIVE_INFINITY
  return (point) => {
    left -= 1
    if (point === wanted || left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
