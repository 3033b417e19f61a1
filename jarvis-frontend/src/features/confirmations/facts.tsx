import type { Card } from 'protocol'
import { isFinal } from 'protocol/facts'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { capitalized } from './first-letter.ts'
import { undoWords } from './undo-words.ts'

/** The target in the present cluster state. */
export type LiveTarget = {
  /** `Running for 8 d 4 h, CPU 97 %`; undefined if the target's present state is not known. */
  now?: string
  age: React.ReactNode
  /** The differences between the target now and when the card was made. */
  change?: string
}

/** The facts of a call: its target, what it does, and its undo. @param what the server's sentence, if the heading does not say the same */
export function Facts({
  card,
  live: seen,
  what,
}: {
  card: Card
  live: LiveTarget | undefined
  what: string | undefined
}) {
  // The card of a setting or snapshot shows the present value instead, because the power state does not matter there.
  const live = card.effect === undefined || card.effect.kind === 'power' || card.basis === undefined ? seen : undefined
  return (
    <dl className="facts">
      <div>
        <dt>Now</dt>
        <dd>
          <Visible text={live?.now ?? capitalized(card.now, card.target)} />
          {gap}
          <small>{live?.age}</small>
        </dd>
      </div>
      {live?.change !== undefined && (
        <div>
          <dt>Was</dt>
          <dd className="text-dim">
            <Visible text={card.now} />, when it was asked
          </dd>
        </div>
      )}
      {what !== undefined && (
        <div>
          <dt>What</dt>
          <dd>
            <Visible text={what} />
          </dd>
        </div>
      )}
      {(what === undefined || card.then !== 'the call runs once') && (
        <div>
          <dt>Then</dt>
          <dd>
            <Arrows text={card.then} />
          </dd>
        </div>
      )}
      <div>
        <dt>Affects</dt>
        <dd>
          <Remarked text={capitalized(card.affects, card.target)} />
        </dd>
      </div>
      {card.undo !== undefined && (
        <div>
          <dt>Undo</dt>
          <dd>
            {isFinal(card.undo) && <b>Cannot be undone: </b>}
            <Visible text={undoWords(card.undo, Date.now())} />
          </dd>
        </div>
      )}
      {card.later !== undefined && (
        <div>
          <dt>Later</dt>
          <dd>
            <Visible text={card.later.sentence.replace(/\.$/, '')} />
            {gap}
            <small>by itself, {exactTime(card.later.at)}</small>
          </dd>
        </div>
      )}
      <div>
        <dt>Why</dt>
        {(card.reasons ?? [card.reason]).map((reason) => (
          <dd key={reason}>
            <Visible text={reason.replace(/\.$/, '')} />
            {gap}
            {card.reasons === undefined && <small>{`${card.toolName} is red`}</small>}
          </dd>
        ))}
      </div>
    </dl>
  )
}

/** A space of half an em before a remark. It collapses at the end of a line. */
const gap = '\u2002'

/** Draws a text such as `running → stopped, clean shutdown` with arrow icons. The text after the last step is grey. */
function Arrows({ text }: { text: string }) {
  const steps = text.split('→').map((step) => step.trim())
  if (steps.length === 1) return <Remarked text={text} />
  const [, last = '', remark = ''] = /^(.*?)(?:[,:]\s+(.*))?$/s.exec(steps.at(-1) ?? '') ?? []
  return (
    <>
      <span className="arrows">
        {[...steps.slice(0, -1), last].map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
          <span key={at}>
            {at > 0 && (
              <>
                <Icon name="arrow" />
                <span className="vh">then</span>
              </>
            )}
            <Visible text={step} />
          </span>
        ))}
      </span>
      {gap}
      {remark !== '' && (
        <small>
          <Visible text={remark} />
        </small>
      )}
    </>
  )
}

/** Draws a text such as `Nothing else found (disks, HA checked)`. Brackets at the end are grey. */
function Remarked({ text }: { text: string }) {
  const [, said = text, remark] = /^(.*?)(?:(?<!\s)\s+\(([^()]*)\))?$/s.exec(text) ?? []
  return (
    <>
      <Visible text={said} />
      {gap}
      {remark !== undefined && (
        <small>
          <Visible text={remark} />
        </small>
      )}
    </>
  )
}
