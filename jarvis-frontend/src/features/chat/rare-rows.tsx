import type { EntryOf } from 'protocol'
import { useLayoutEffect, useRef, useState } from 'react'
import { plural, withUnit } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible.ts'
import { argumentLine, type Call, type LoadedSkill } from './runs.ts'
import { useSlots } from './slots.ts'
import { Step } from './step.tsx'
import './rare-rows.css'

/** `since`: when the model began to think, Unix ms; undefined after the end. */
export type ThoughtTime = { since: number | undefined; tookMs: number | undefined }

/** The model's thinking, collapsed. */
export function Thought({ text, since, tookMs }: ThoughtTime & { text: string }) {
  const [isOpen, setOpen] = useState(false)
  const label =
    since !== undefined
      ? 'Thinking'
      : tookMs === undefined
        ? 'Thought'
        : `Thought for ${withUnit(Math.max(1, Math.round(tookMs / 1_000)), 's')}`
  return (
    <Step mark={<Mark kind="step" size={8} />} label={label}>
      <button type="button" className="thinking" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        {since !== undefined && <Since at={since} />} <Icon name={isOpen ? 'down' : 'right'} />
      </button>
      {isOpen && <p className="thoughts">{text === '' ? 'The provider keeps this thought to itself.' : text}</p>}
    </Step>
  )
}

const Since = ({ at }: { at: number }) => `, ${withUnit(Math.max(0, Math.round((useNow(1_000) - at) / 1_000)), 's')}`

/** The passages of the memory that the model received with the message, folded. */
export function RecalledRow({ items }: { items: EntryOf<'recalled'>['items'] }) {
  const [isOpen, setOpen] = useState(false)
  const { Recalled } = useSlots()
  const label = `Recalled ${plural(items.length, 'passage')}`
  return (
    <Step mark={<Mark kind="step" size={8} />} label={label}>
      <button type="button" className="thinking" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label} <Icon name={isOpen ? 'down' : 'right'} />
      </button>
      {isOpen && <Recalled items={items} />}
    </Step>
  )
}

/** The calls of a plan, collapsed: the plan's card tells each of them. */
export function PlannedRow({ calls, children }: { calls: number; children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const label = `${plural(calls, 'call')} of the plan, as its card says`
  return (
    <>
      <Step mark={<Mark kind="step" size={8} />} label={label}>
        <button type="button" className="thinking" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {label} <Icon name={isOpen ? 'down' : 'right'} />
        </button>
      </Step>
      {isOpen && children}
    </>
  )
}

/** The text of a skill that the model received, collapsed. @param by the person who named the skill; undefined: the model chose it */
export function SkillRow({ skill: { name, hash, text }, by }: { skill: LoadedSkill; by?: string }) {
  const [isOpen, setOpen] = useState(false)
  const label = `Skill ${visibleText(name)}, ${by === undefined ? 'chosen by the model' : `named by ${visibleText(by)}`}`
  const [, body = text, after = ''] = /^<skill name="[^"]*">\n([\s\S]*)\n<\/skill>\n?([\s\S]*)$/.exec(text) ?? []
  return (
    <Step mark={<Mark kind="step" size={8} />} label={label}>
      <button type="button" className="thinking" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label} <Icon name={isOpen ? 'down' : 'right'} />
      </button>
      {isOpen && (
        <div className="loaded-skill">
          <p>
            <Link to={`/agents/skills/${encodeURIComponent(name)}`} className="text-link">
              Approved tree
            </Link>{' '}
            <code>{hash.slice(0, 12)}</code>
          </p>
          <p className="thoughts">{linesOf(body)}</p>
          {after !== '' && <p className="thoughts">{linesOf(after)}</p>}
        </div>
      )}
    </Step>
  )
}

const linesOf = (text: string) => text.split('\n').map(visibleText).join('\n')

/** A refused call, with the sentence of the rule. There is no button, because nobody can override the refusal. */
export function BlockedRow({ call }: { call: Call }) {
  const reason = call.blocked?.reason ?? ''
  const ending = /nothing was run|not run/i.test(reason) ? '' : ' Nothing was run.'
  return (
    <Step mark={<Tier tier="black" size={15} />} label={`Never, ${call.toolName}, refused`} top={14}>
      <div className="blocked" role="note">
        <div>
          <span className="word">Never</span>
          <b>Refused</b>
          <span className="call cut">
            <bdi>{visibleText(call.toolName)}</bdi>
            <i>{visibleText(argumentLine(call.toolInput))}</i>
          </span>
        </div>
        <p>
          <Visible text={reason} />
          {ending}
        </p>
      </div>
    </Step>
  )
}

type UnknownProps = { toolUseId: string; observed: string; to: React.RefObject<HTMLElement | null> }

/** Explains an unknown outcome. If the part has the focus when it is removed, the focus moves to `to`. */
export function UnknownPart({ to, ...given }: UnknownProps) {
  const { Unknown } = useSlots()
  const part = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = part.current
    return () => {
      if (element?.contains(document.activeElement) === true) to.current?.focus({ preventScroll: true })
    }
  }, [to])
  return (
    <div ref={part}>
      <Unknown {...given} />
    </div>
  )
}
