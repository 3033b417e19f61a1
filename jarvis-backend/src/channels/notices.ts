import { firstOf } from 'node-kit/words'
import type { Question } from 'protocol'
import type { GoingBack, JarvisFacts } from '../house.ts'
import type { Channels, Notice, Told } from './channels.ts'

/**
 * The text of a notice that may leave over channels. Notices of kinds other than alerts and jobs may hold arguments, addresses, or text that a
 * person or a model wrote, so only their hidden form leaves.
 */
const leavingWords = ({ kind, body, hidden }: Pick<Notice, 'kind' | 'body' | 'hidden'>) =>
  kind === 'alert' || kind === 'job' ? body : hidden

/** Sends notices over the channels for the facts that people must hear of. */
export function tellOfFacts(facts: JarvisFacts, channels: Pick<Channels, 'tell' | 'settle' | 'waiting'>): void {
  const told = facts.teller('alert.told')
  const tell = (notice: Notice, person?: string) => channels.tell({ ...notice, body: leavingWords(notice) }, person)
  facts.on('cards.changed', (cards) => channels.waiting(cards))
  facts.on('notice.due', ({ notice, person }) => void tell(notice, person))
  facts.on('alert.due', ({ id, message }) => told({ id, words: reachedWords(tell({ ...message, kind: 'alert' })) }))
  facts.on('questions.changed', (questions) => {
    for (const question of questions) channels.tell(questionNotice(question))
    channels.settle()
  })
  facts.on('changes.going_back', (changes) => {
    for (const change of changes) channels.tell(goingBackNotice(change))
    channels.settle()
  })
}

function questionNotice({ questionId, requestedBy, expiresAt }: Question): Notice {
  const body = 'A question waits for you. An answer allows nothing.'
  return {
    kind: 'question',
    level: 'warning',
    title: 'A question for you',
    body,
    hidden: body,
    tag: `question-${questionId}`,
    path: `/waiting?question=${encodeURIComponent(questionId)}`,
    asker: requestedBy.person,
    until: { kind: 'question', id: questionId },
    expiresAt,
  }
}

function goingBackNotice({ id, goesBackAt }: GoingBack): Notice {
  const body = 'A change goes back within two minutes unless you keep it.'
  return {
    kind: 'change',
    level: 'failed',
    title: 'JARVIS takes a change back soon',
    body,
    hidden: body,
    tag: `goes-back-${id}`,
    path: '/waiting',
    until: { kind: 'change', id },
    expiresAt: goesBackAt,
  }
}

/** A text that names the devices that a message reached. */
function reachedWords(devices: readonly Told[]): string {
  const missed = devices.filter(({ problem }) => problem !== undefined)
  const all = devices.length
  if (all === 0) return 'nobody: no device is set up'
  if (missed.length === 0) return `${all} ${all === 1 ? 'device' : 'devices'}`
  const why = firstOf(
    missed.map(({ label, problem }) => `${label}: ${problem}`),
    3,
  )
  return `${all - missed.length} of ${all} devices; not ${why}`
}
