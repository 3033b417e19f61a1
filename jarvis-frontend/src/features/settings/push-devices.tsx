import type { PushDevice, PushReply } from 'protocol'
import { useState } from 'react'
import { testDevice } from '../../api/push.ts'
import { ago, exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { FormProblem } from './form-problem.tsx'
import { ownDevice, type PushAbility, pushAbility, turnOff, turnOn } from './push.ts'

const why: Record<Exclude<PushAbility, 'can'>, string> = {
  insecure:
    'Not over plain http: a browser lets only pages over https, or on the same machine, be told while they are closed. Put TLS in front of JARVIS and open it by that address.',
  absent: 'This browser cannot. On an iPhone or iPad, put JARVIS on the home screen first and turn it on in there.',
  denied: 'This browser was told to refuse notifications. Allow them for this page in its own settings.',
}

/** The browsers that receive push messages, and a button that turns this one on or off. */
export function PushDevices({
  push: { publicKey, items },
  mayDecide,
  isResting,
  onChanged,
}: {
  push: PushReply
  /** True if this person may decide cards. */
  mayDecide: boolean
  isResting: boolean
  onChanged: () => void
}) {
  const [hidesNames, setHidesNames] = useState(false)
  const [decides, setDecides] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const ability = pushAbility()
  const own = items.find(({ id }) => id === ownDevice())
  const attempt = async (work: () => Promise<unknown>) => {
    if (isBusy || isResting) return
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
    onChanged()
  }
  return (
    <>
      <div className="fact-list choices">
        <label>
          <input
            type="checkbox"
            checked={own !== undefined}
            disabled={ability !== 'can' || isResting || isBusy}
            onChange={() =>
              void attempt(() => (own === undefined ? turnOn(publicKey, hidesNames, decides) : turnOff(own.id)))
            }
          />
          <b>Also while it is closed</b>
          <span className="text-soft">
            {ability === 'can'
              ? 'Through the browser maker’s push service, which sees when, and not what: the text is sealed for this browser.'
              : why[ability]}
          </span>
        </label>
        <label>
          <input
            type="checkbox"
            checked={own?.hidesNames ?? hidesNames}
            disabled={ability !== 'can' || isResting || isBusy}
            onChange={(event) => {
              const next = event.currentTarget.checked
              setHidesNames(next)
              if (own !== undefined) void attempt(() => turnOn(publicKey, next, own.decides))
            }}
          />
          <b>Without names</b>
          <span className="text-soft">
            “A call waits for you.” For screens that others see. Nothing is approved there.
          </span>
        </label>
        {mayDecide && (
          <label>
            <input
              type="checkbox"
              checked={own?.decides ?? decides}
              disabled={ability !== 'can' || isResting || isBusy}
              onChange={(event) => {
                const next = event.currentTarget.checked
                setDecides(next)
                if (own !== undefined) void attempt(() => turnOn(publicKey, own.hidesNames, next))
              }}
            />
            <b>Decide in the notification</b>
            <span className="text-soft">
              Buttons for light calls, signed with a key that stays in this browser. Whoever can press them decides;
              everything heavier opens the card.
            </span>
          </label>
        )}
      </div>
      {items.length > 0 && (
        <ul className="fact-list" aria-label="Devices that are told">
          {items.map((device) => (
            <Device
              key={device.id}
              device={device}
              isOwn={device === own}
              isResting={isResting || isBusy}
              onAgain={() => attempt(() => turnOn(publicKey, device.hidesNames, device.decides))}
              onTest={() => attempt(() => testDevice(device.id))}
              onRevoke={() => attempt(() => turnOff(device.id))}
            />
          ))}
        </ul>
      )}
      <FormProblem text={problem} />
    </>
  )
}

function Device({
  device: { label, hidesNames, decides, createdAt, lastSentAt, lastSeenAt, isUnseen, problem },
  isOwn,
  isResting,
  onAgain,
  onTest,
  onRevoke,
}: {
  device: PushDevice
  isOwn: boolean
  isResting: boolean
  onAgain: () => void
  onTest: () => void
  onRevoke: () => void
}) {
  const now = useNow(60_000)
  return (
    <li>
      <Mark
        kind={problem !== undefined || isUnseen ? 'warn' : lastSentAt === undefined ? 'stopped' : 'running'}
        size={11}
        label={problem !== undefined ? 'not reached:' : isUnseen ? 'long unseen:' : 'told:'}
      />
      <span>
        <Visible text={label} />
        <small>
          {isOwn ? 'this one' : hidesNames ? 'without names' : 'with names'}
          {decides && ', decides light calls'}
        </small>
      </span>
      <span className="text-soft">
        {problem !== undefined ? (
          <Visible text={`Not reached: ${problem}.`} />
        ) : lastSentAt === undefined ? (
          'nothing sent yet'
        ) : (
          `last told ${ago(lastSentAt, now)}`
        )}
        <small>
          {isUnseen ? 'not seen for 90 d' : `seen ${ago(lastSeenAt, now)}`}, on since {exactTime(createdAt)}
        </small>
      </span>
      <span className="two-acts">
        {isOwn && problem !== undefined && (
          <button type="button" className="button small quiet" aria-disabled={isResting} onClick={onAgain}>
            Turn on again
          </button>
        )}
        <button
          type="button"
          className="button small quiet"
          aria-label={`Test ${label}`}
          aria-disabled={isResting}
          onClick={onTest}
        >
          Test
        </button>
        <button
          type="button"
          className="button small quiet"
          aria-label={`Revoke ${label}`}
          aria-disabled={isResting}
          onClick={onRevoke}
        >
          Revoke
        </button>
      </span>
    </li>
  )
}
