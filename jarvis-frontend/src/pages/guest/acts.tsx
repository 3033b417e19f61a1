import type { ClusterState, Guest, GuestReply, ToolInfo } from 'protocol'
import { Suspense, useState } from 'react'
import { useTools } from '../../api/tools.ts'
import { later } from '../../app/later.tsx'
import { Over } from '../../app/over.tsx'
import { type Act, Acts, actsOfGuest } from '../../features/cluster/acts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierMeaning, tierWord } from '../../ui/tier.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'

const SettingsForm = later(() => import('./settings-form.tsx').then((part) => part.SettingsForm))
const MigrateForm = later(() => import('./migrate-form.tsx').then((part) => part.MigrateForm))

const settingsTool = 'set_guest_config'
const migrateTool = 'migrate_guest'

type Props = {
  guest: Guest
  state: ClusterState
  reply: GuestReply | undefined
  onAsk: ((command: string) => void) | undefined
}
type Form = typeof settingsTool | typeof migrateTool

/** The buttons of a guest. Each asks for one call in a new chat. A phone shows two of them, and the rest under More. */
export function GuestActs({ guest, state, reply, onAsk }: Props) {
  const isPhone = useMedia(phone)
  const [isMore, setMore] = useState(false)
  const [form, setForm] = useState<Form>()
  const acts = actsOn(guest, state, reply)
  const first = [acts[0], actsOfGuest(guest)[0]].filter((act) => act !== undefined)
  const open = (wanted: Form) => {
    setMore(false)
    setForm(wanted)
  }
  const all = (
    <Acts acts={acts} onAsk={onAsk} hasDots>
      {onAsk !== undefined && (
        <FormButtons guest={guest} hasOthers={state.nodes.length > 1} config={reply?.config} onOpen={open} />
      )}
    </Acts>
  )
  return (
    <>
      {isPhone ? (
        <Acts acts={first} onAsk={onAsk} hasDots>
          {onAsk !== undefined && (
            <button type="button" className="button small" aria-label="More acts" onClick={() => setMore(true)}>
              <Icon name="more" />
            </button>
          )}
        </Acts>
      ) : (
        all
      )}
      {isMore && (
        <Over label={`What may be done with ${guest.vmid}`} onClose={() => setMore(false)}>
          <div className="guest-form guest-acts">
            <PanelHead title="Do">a card comes where … stands</PanelHead>
            {all}
            <footer>
              <button type="button" className="button quiet" onClick={() => setMore(false)}>
                Close
              </button>
            </footer>
          </div>
        </Over>
      )}
      {form !== undefined && onAsk !== undefined && (
        <Suspense fallback={null}>
          {form === migrateTool ? (
            <MigrateForm guest={guest} state={state} tool={form} onAsk={onAsk} onClose={() => setForm(undefined)} />
          ) : (
            reply?.config && (
              <SettingsForm
                guest={guest}
                config={reply.config}
                tool={form}
                onAsk={onAsk}
                onClose={() => setForm(undefined)}
              />
            )
          )}
        </Suspense>
      )}
    </>
  )
}

/** Buttons that open a form, for calls that need more arguments than the vmid. Each shows the tier that most of its calls get. */
function FormButtons({
  guest,
  hasOthers,
  config,
  onOpen,
}: {
  guest: Guest
  hasOthers: boolean
  config: GuestReply['config'] | undefined
  onOpen: (form: Form) => void
}) {
  const known = useTools()
  const button = (name: Form, label: string, why: string | undefined) => {
    const tool = known?.find((candidate) => candidate.name === name)
    if (tool === undefined) return null
    const tier = usualOf(tool)
    return (
      <button
        type="button"
        className="button small"
        disabled={why !== undefined}
        aria-label={`${label}, ${why ?? `${tierWord[tier]}, ${tierMeaning[tier]}`}`}
        title={why}
        onClick={() => onOpen(name)}
      >
        <Tier tier={tier} size={11} />
        {label}…
      </button>
    )
  }
  const unread = config === undefined ? 'its settings are being read' : 'its settings could not be read'
  return (
    <>
      {!guest.isTemplate && button(migrateTool, 'Migrate', hasOthers ? undefined : 'there is no other node')}
      {button(settingsTool, 'Change config', config == null ? unread : undefined)}
      {config === null && <small>Change config rests: the settings could not be read.</small>}
    </>
  )
}

const usualOf = ({ tier, raises = [] }: ToolInfo) => (raises.some((raise) => raise.tier === 'red') ? 'red' : tier)

function actsOn(guest: Guest, state: ClusterState, reply: GuestReply | undefined): Act[] {
  const { vmid } = guest
  const taken = new Set(reply?.snapshots?.items.map(({ name }) => name))
  const day = new Date().toISOString().slice(2, 16).replace(/\D/g, '')
  const name = [`by-hand-${day}`, `by-hand-${day}-2`].find((free) => !taken.has(free)) ?? `by-hand-${Date.now()}`
  // Choose the storage with the guest's backups, otherwise any storage for backups.
  const storage =
    reply?.backups?.items[0]?.storage ??
    state.storages.find(({ content, isActive }) => isActive === true && content.includes('backup'))?.name
  return [
    ...(storage === undefined ? [] : [{ label: 'Back up now', tool: 'back_up_guest', input: { vmid, storage } }]),
    ...(guest.isTemplate === true ? [] : [{ label: 'Snapshot', tool: 'take_snapshot', input: { vmid, name } }]),
    ...actsOfGuest(guest),
    { label: 'Prove a restore', tool: 'drill_restore', input: { vmid } },
  ]
}
