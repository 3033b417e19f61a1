import { useState } from 'react'
import { keep } from '../../lib/keep.ts'
import { notifyState } from '../notify.ts'
import { Section } from './section.tsx'

const notifyWords = {
  absent: 'This browser gives notifications only to pages over https or on this machine.',
  denied: 'This browser was told to refuse them. Allow them for this page in its own settings.',
  default: 'The browser asks once.',
  granted: 'A card is told where this page is not in front. Nothing can be approved from there.',
} as const

export function Notifications() {
  const [state, setState] = useState(notifyState)
  const [isOn, setOn] = useState(keep.get('notify') === 'on')
  const turn = async (next: boolean) => {
    if (next && state === 'default') setState(await Notification.requestPermission())
    const isGranted = notifyState() === 'granted'
    keep.set('notify', next && isGranted ? 'on' : undefined)
    setOn(next && isGranted)
  }
  return (
    <Section id="notifications" title="Notifications">
      <div className="fact-list choices">
        <label>
          <input
            type="checkbox"
            checked={isOn && state === 'granted'}
            disabled={state === 'absent' || state === 'denied'}
            onChange={(event) => void turn(event.currentTarget.checked)}
          />
          <b>When a card waits</b>
          <span className="text-soft">{notifyWords[state]}</span>
        </label>
      </div>
      <p>The page’s title always says how many wait.</p>
    </Section>
  )
}
