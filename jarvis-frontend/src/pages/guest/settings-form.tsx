import type { Guest, GuestReply } from 'protocol'
import { useId, useState } from 'react'
import { problemIn } from '../../features/tools/arguments.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { CallForm, useCall } from './call-form.tsx'
import { configured, inputOf, type Setting, settingsOf } from './settings.ts'

type Props = {
  guest: Guest
  config: NonNullable<GuestReply['config']>
  tool: string
  onAsk: (command: string) => void
  onClose: () => void
}

/** A form with a guest's configured settings. One call makes all edited changes. */
export function SettingsForm({ guest, config, tool, onAsk, onClose }: Props) {
  const settings = settingsOf(guest.type)
  const [edits, setEdits] = useState<Readonly<Record<string, string>>>({})
  const [other, setOther] = useState({ key: '', value: '' })
  const input = inputOf(guest.vmid, config, { ...edits, [other.key]: other.value })
  const isComplete = 'set' in input || 'remove' in input
  const call = useCall(tool, input, isComplete)
  const keys = [...settings.map(({ key }) => key), other.key.trim()].filter((key) => key !== '')
  const problem = call.isWrong ? problemIn(call.verdict?.reason ?? '', keys) : undefined
  return (
    <CallForm
      title={`Settings of ${guest.vmid}`}
      call={call}
      rest={isComplete ? 'Asking the gate' : 'Change what should be different.'}
      wrong={problem?.key === undefined ? problem?.text : undefined}
      onAsk={onAsk}
      onClose={onClose}
    >
      {settings.map((setting) => (
        <Field
          key={setting.key}
          setting={setting}
          value={edits[setting.key] ?? configured(config, setting.key)}
          waits={Object.hasOwn(config.pending, setting.key)}
          problem={problem?.key === setting.key ? problem.text : undefined}
          onChange={(value) => setEdits({ ...edits, [setting.key]: value })}
        />
      ))}
      <fieldset className="guest-form-other">
        <legend>Another setting</legend>
        <input
          className="field mono"
          aria-label="Its name in Proxmox"
          placeholder="cpuunits"
          autoCapitalize="none"
          value={other.key}
          onChange={(event) => setOther({ ...other, key: event.currentTarget.value })}
        />
        <input
          className="field mono"
          aria-label="Its value; empty removes it"
          placeholder={configured(config, other.key.trim()) || 'empty removes it'}
          autoCapitalize="none"
          value={other.value}
          onChange={(event) => setOther({ ...other, value: event.currentTarget.value })}
        />
        {problem?.key !== undefined && problem.key === other.key.trim() && <Wrong text={problem.text} />}
      </fieldset>
    </CallForm>
  )
}

const Wrong = ({ text, id }: { text: string; id?: string }) => (
  <small id={id} className="guest-form-wrong">
    <Mark kind="bad" size={9} /> <Visible text={text} />
  </small>
)

function Field({
  setting: { label, kind, unit },
  value,
  waits,
  problem,
  onChange,
}: {
  setting: Setting
  value: string
  waits: boolean
  problem: string | undefined
  onChange: (value: string) => void
}) {
  const id = useId()
  if (kind === 'flag') {
    return (
      <label className="guest-form-flag">
        <input
          type="checkbox"
          checked={value === '1'}
          onChange={(event) => onChange(event.currentTarget.checked ? '1' : '0')}
        />
        {label}
      </label>
    )
  }
  const common = {
    id,
    className: 'field',
    value,
    autoComplete: 'off',
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-wrong`,
  } as const
  return (
    <div className={kind === 'long' ? 'guest-form-long' : undefined}>
      <label htmlFor={id}>
        {label} {unit !== undefined && <span className="text-dim">{unit}</span>}
        {waits && <span className="text-dim"> from its next stop</span>}
      </label>
      {kind === 'long' ? (
        <textarea {...common} rows={3} onChange={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {problem !== undefined && <Wrong id={`${id}-wrong`} text={problem} />}
    </div>
  )
}
