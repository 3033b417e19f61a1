import type { AreaName, WorkbenchArea, WorkbenchSection } from 'protocol'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { hindrance, isOn, switched } from './draft.ts'

export const areaTitles: Readonly<Record<AreaName, string>> = {
  files: 'Files',
  exec: 'Commands',
  web: 'Web',
  browser: 'Browser',
  git: 'Git',
  docker: 'Docker',
}

/** The areas of the workbench: what each allows, what it lacks here, and a button that turns it on or off in the draft. */
export function Areas(props: {
  areas: readonly WorkbenchArea[]
  section: WorkbenchSection
  /** Undefined if this person may not change the settings. */
  onChange: ((section: WorkbenchSection) => void) | undefined
}) {
  return (
    <ul className="fact-list bench-areas">
      {props.areas.map((area) => (
        <AreaRow key={area.name} {...props} area={area} />
      ))}
    </ul>
  )
}

function AreaRow({
  area,
  section,
  onChange,
}: {
  area: WorkbenchArea
  section: WorkbenchSection
  onChange: ((section: WorkbenchSection) => void) | undefined
}) {
  const { name, missing, facts, allows } = area
  const on = isOn(area, section)
  const why = hindrance(section, name, !on)
  const title = areaTitles[name]
  return (
    <li>
      <Mark kind={on ? (missing.length === 0 ? 'ok' : 'warn') : 'none'} size={11} />
      <span>
        {title}
        <small>{`${on ? 'on' : 'off'}${on === area.isOn ? '' : ', not saved yet'}`}</small>
      </span>
      <span className="text-soft">
        {allows}
        {facts.map((fact) => (
          <small key={fact}>
            <Visible text={fact} />
          </small>
        ))}
        {missing.map(({ what, remedy }) => (
          <small key={what} className="bench-missing">
            Missing here: <Visible text={what} />. To get it: <Visible text={remedy} />
          </small>
        ))}
        {why !== undefined && onChange !== undefined && <small>{why}</small>}
        {name === 'docker' && section.docker !== undefined && onChange !== undefined && (
          <label className="bench-socket">
            Socket
            <input
              className="field mono"
              value={section.docker}
              onChange={(event) => onChange({ ...section, docker: event.currentTarget.value })}
            />
          </label>
        )}
      </span>
      {onChange !== undefined && (
        <button
          type="button"
          className="button small quiet"
          aria-label={`Turn ${on ? 'off' : 'on'}: ${title}`}
          aria-disabled={why !== undefined}
          onClick={() => why === undefined && onChange(switched(section, name, !on))}
        >
          {on ? 'Turn off' : 'Turn on'}
        </button>
      )}
    </li>
  )
}
