import { exactTime, timeOfDay } from '../../lib/format.ts'
import { Turning } from '../../ui/tier.tsx'
import { Step } from './step.tsx'

/** `via`: the channel on which the message was written. */
type UserProps = { text: string; at?: number; via?: string | undefined; seq?: number; children?: React.ReactNode }

export function UserMessage({ text, at, via, seq, children }: UserProps) {
  return (
    <article className={`user${children === undefined ? '' : ' unsent'}`} aria-label="You" data-seq={seq}>
      {at !== undefined && <time title={exactTime(at)}>{[timeOfDay(at), via].filter(Boolean).join(' · ')}</time>}
      {children}
      <p dir="auto">{text}</p>
    </article>
  )
}

/** A placeholder until the answer begins. After a while it says that JARVIS is working. */
export function Working() {
  return (
    <div className="working">
      <Step mark={<Turning size={12} />}>
        <p className="thinking">Working</p>
      </Step>
    </div>
  )
}

export function StreamSkeleton() {
  return (
    <div className="stream-skeleton" aria-busy="true">
      <span className="vh">The session is being read.</span>
      <div className="skeleton" style={{ height: 38, width: '58%', marginLeft: 'auto' }} />
      <div className="skeleton" style={{ height: 20, width: '72%' }} />
      <div className="skeleton" style={{ height: 20, width: '64%' }} />
      <div className="skeleton" style={{ height: 66, width: '90%' }} />
    </div>
  )
}
