import { useState } from 'react'
import { readPush } from '../../api/push.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { notifyState } from '../../app/notify.ts'
import { PushDevices } from '../../features/settings/push-devices.tsx'
import { keep } from '../../lib/keep.ts'
import { Section, useRights } from './section.tsx'

const notifyWords = {
  absent: 'This browser gives notifications only to pages over https or on this machine.',
  denied: 'This browser was told to refuse them. Allow them for this page in its own settings.',
  default: 'The browser asks once.',
  granted: 'A card is told where this page is open and not in front. Nothing can be approved from there.',
} as const

/** Notifications of a waiting card: on this page, and in browsers without an open dashboard. */
export function Notifications() {
  const { isOperator: mayAsk, isLive, isResting, isMember } = useRights('member')
  const [state, setState] = useState(notifyState)
  const [isOn, setOn] = useState(keep.get('notify') === 'on')
  const { data, problem, again } = useLoad('push', mayAsk ? readPush : undefined, ['connect', 'push'])
  const turn = async (next: boolean) => {
    if (next && state === 'default') setState(await Notification.requestPermission())
    const isGranted = notifyState() === 'granted'
    keep.set('notify', next && isGranted ? 'on' : undefined)
    setOn(next && isGranted)
  }
  return (
    <Section id="notifications" title="Notifications">
      <p>The page’s title always says how many things wait for you. A notification opens the card.</p>
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
      {mayAsk && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {mayAsk &&
        (data === undefined ? (
          problem === undefined && <Skeletons rows={2} height={38} />
        ) : (
          <PushDevices push={data} mayDecide={!isMember} isResting={isResting} onChanged={again} />
        ))}
      <Resting isOperator={mayAsk} isLive={isLive} />
    </Section>
  )
}
