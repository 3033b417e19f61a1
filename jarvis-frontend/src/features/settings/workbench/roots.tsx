import type { WorkbenchRoot, WorkbenchSection } from 'protocol'
import { useRef } from 'react'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { withoutRoot, withRoot } from './draft.ts'

type Changing = ((section: WorkbenchSection) => void) | undefined

/** The folders that JARVIS may read, and may ask to change. */
export function Roots({
  inForce,
  section,
  onChange,
}: {
  inForce: readonly WorkbenchRoot[]
  section: WorkbenchSection
  onChange: Changing
}) {
  const roots = section.roots ?? []
  return (
    <>
      <h3>Roots</h3>
      <p>The folders of this machine that files, commands and Git work in. Nothing outside them can be named.</p>
      {roots.length > 0 && (
        <ul className="fact-list bench-roots">
          {roots.map((root) => {
            const { name, path, write } = root
            const known = inForce.find((one) => one.name === name && one.path === path)
            return (
              <li key={name}>
                <Mark kind={known === undefined ? 'none' : known.problem === undefined ? 'ok' : 'warn'} size={11} />
                <span>
                  <Visible text={name} />
                  <small>{`${write ? 'changes ask' : 'read only'}${known?.write === write ? '' : ', not saved yet'}`}</small>
                </span>
                <span className="text-soft">
                  <code>
                    <Visible text={path} />
                  </code>
                  {known?.problem !== undefined && (
                    <small>
                      <Visible text={known.problem} />
                    </small>
                  )}
                </span>
                {onChange !== undefined && (
                  <span className="two-acts">
                    <button
                      type="button"
                      className="button small quiet"
                      aria-label={`${write ? 'Only read' : 'Let it change'}: ${name}`}
                      onClick={() => onChange(withRoot(section, { ...root, write: !write }))}
                    >
                      {write ? 'Only read' : 'Let it change'}
                    </button>
                    <button
                      type="button"
                      className="button small quiet"
                      aria-label={`Remove the root ${name}`}
                      onClick={() => onChange(withoutRoot(section, name))}
                    >
                      Remove
                    </button>
                  </span>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {roots.length === 0 && <p>No folder is named.</p>}
      {onChange !== undefined && <NewRoot section={section} onChange={onChange} />}
    </>
  )
}

function NewRoot({ section, onChange }: { section: WorkbenchSection; onChange: NonNullable<Changing> }) {
  const first = useRef<HTMLInputElement>(null)
  const add = (form: HTMLFormElement) => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '').trim()
    const path = read('path').replace(/(?<=[^/])\/+$/, '')
    onChange(withRoot(section, { name: read('name'), path, write: given.get('write') !== null }))
    form.reset()
    first.current?.focus()
  }
  return (
    <form
      className="form-row bench-new"
      aria-label="Add a root"
      onSubmit={(event) => {
        event.preventDefault()
        add(event.currentTarget)
      }}
    >
      <label>
        Name
        <input
          ref={first}
          className="field"
          name="name"
          required
          maxLength={32}
          placeholder="compose"
          autoComplete="off"
        />
      </label>
      <label className="bench-path">
        Folder
        <input className="field mono" name="path" required placeholder="/srv/compose" autoComplete="off" />
      </label>
      <label className="check">
        <input type="checkbox" name="write" />
        Changes may be asked for
      </label>
      <button type="submit" className="button">
        Add
      </button>
    </form>
  )
}
