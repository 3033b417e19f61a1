import type { Job } from 'protocol'
import { ApiError } from 'protocol/client'
import { objectIn } from '../../features/tools/arguments.ts'
import { RunbookWork, ToolWork } from './call-work.tsx'

type Work = Job['work']
export type WorkKind = Work['kind']

/** The kinds of work that a person may choose. The jobs delivered with JARVIS have their own kinds. */
export const madeKinds = ['prompt', 'runbook', 'call'] as const

/** Reads the work from the fields. @param read returns a field's text, trimmed @throws ApiError with the error */
export function workIn(kind: WorkKind, read: (name: string) => string): Work {
  switch (kind) {
    case 'prompt':
      return { kind, text: read('text') }
    case 'runbook':
      return { kind, name: read('runbook'), inputs: inputsIn(read('inputs')) }
    case 'call':
      return { kind, toolName: read('tool'), toolInput: inputsIn(read('inputs')) }
    case 'heartbeat': {
      const activeHours = hoursIn(read)
      const digestAt = read('digestAt')
      return { kind, activeHours, ...(digestAt !== '' && { digestAt }) }
    }
    case 'drill': {
      const window = hoursIn(read)
      const limit = read('bwlimit')
      return { kind, ...(limit !== '' && { bwlimitKiBps: Number(limit) }), window }
    }
  }
}

function hoursIn(read: (name: string) => string): string | undefined {
  const [from, until] = [read('from'), read('until')]
  if (from === '' && until === '') return undefined
  if (from === '' || until === '') throw new ApiError('invalid_request', 'Name both hours, or neither of them.')
  return `${from}-${until}`
}

/** @throws ApiError if the text is not a JSON object */
function inputsIn(text: string): Record<string, unknown> {
  const inputs = objectIn(text)
  if (inputs !== undefined) return inputs
  throw new ApiError('invalid_request', 'The inputs must be a JSON object, such as {"node": "pve"}.')
}

/** The fields of a kind of work. @param zone the server's time zone, which applies to its hours */
export function WorkFields({ kind, work, zone }: { kind: WorkKind; work: Work | undefined; zone: string }) {
  if (kind === 'prompt')
    return (
      <label>
        Message
        <textarea
          className="field"
          name="text"
          required
          rows={4}
          maxLength={20_000}
          defaultValue={work?.kind === 'prompt' ? work.text : ''}
        />
      </label>
    )
  if (kind === 'heartbeat') {
    const now = work?.kind === 'heartbeat' ? work : undefined
    return (
      <>
        <Hours hours={now?.activeHours} words="Its model may be called" zone={zone} />
        <label>
          A digest each day at, though nothing changed
          <input className="field" name="digestAt" type="time" defaultValue={now?.digestAt} />
        </label>
        <p className="text-soft">
          The checks run at each beat and cost nothing. The hours hold for the model alone; what changed outside of them
          is told at the next beat inside.
        </p>
      </>
    )
  }
  if (kind === 'drill') {
    const now = work?.kind === 'drill' ? work : undefined
    return (
      <>
        <Hours hours={now?.window} words="It may begin" zone={zone} />
        <label>
          Disk traffic, at most, KiB/s
          <input
            className="field"
            name="bwlimit"
            type="number"
            min={1}
            placeholder="no limit"
            defaultValue={now?.bwlimitKiBps}
          />
        </label>
        <p className="text-soft">Another limit makes other drills of them: what was approved beforehand asks again.</p>
      </>
    )
  }
  return kind === 'runbook' ? (
    <RunbookWork work={work?.kind === kind ? work : undefined} />
  ) : (
    <ToolWork work={work?.kind === kind ? work : undefined} />
  )
}

/** Two fields: from and until, in the server's time zone. Both empty: always. */
function Hours({ hours, words, zone }: { hours: string | undefined; words: string; zone: string }) {
  const [from, until] = hours?.split('-') ?? []
  return (
    <fieldset className="pair-fields hours">
      <legend>
        {words}, {zone}
      </legend>
      <label>
        From
        <input className="field" name="from" type="time" defaultValue={from} />
      </label>
      <label>
        Until
        <input className="field" name="until" type="time" defaultValue={until} />
      </label>
    </fieldset>
  )
}
