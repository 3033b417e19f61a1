import type { SettingInForce } from 'protocol'
import type { ApiError } from 'protocol/client'
import { useState } from 'react'
import { problemOf } from '../../api/remote.ts'
import { exportSettings, settingsInForce } from '../../api/settings.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

/** Removes backticks and the addresses of links, which are for Markdown. */
const plain = (text: string) => text.replace(/\[([^[\]]*)\]\([^()[\]]*\)/g, '$1').replaceAll('`', '')

/** Every setting with its value, where it comes from, its default and where it is changed. */
export function InForce() {
  const { isOperator, isLive } = useRights('operator')
  return (
    <Section id="in-force" title="All settings">
      <p>The settings of this JARVIS, with the place where each is changed. A secret is never shown.</p>
      {isOperator ? <List /> : <Resting isOperator={false} isLive={isLive} />}
    </Section>
  )
}

/** The settings that somebody set, all settings, or those that hold some words. */
function List() {
  const [words, setWords] = useState('')
  const [isWhole, setWhole] = useState(false)
  const [refused, setRefused] = useState<ApiError>()
  const { data, problem, again } = useLoad('in-force', settingsInForce, ['connect', 'settings'])
  const wanted = words.trim().toLowerCase()
  const items = (data?.items ?? []).filter(({ name, about, source }) =>
    wanted === '' ? isWhole || source !== 'default' : `${name} ${about}`.toLowerCase().includes(wanted),
  )
  const sections = [...new Set(items.map(({ section }) => section))]
  return (
    <>
      <div className="form-row">
        <input
          className="field"
          type="search"
          aria-label="Search the settings"
          placeholder="Search the settings"
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <button type="button" className="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Defaults too
        </button>
        <button
          type="button"
          className="button"
          onClick={() =>
            void exportSettings().then(
              () => setRefused(undefined),
              (error: unknown) => setRefused(problemOf(error)),
            )
          }
        >
          Export config.json
        </button>
      </div>
      <Problem error={refused} isRefusal />
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined && problem === undefined && <Skeletons rows={8} height={34} />}
      {data !== undefined && items.length === 0 && (
        <p>{wanted === '' ? 'All settings have their default.' : 'No setting has these words.'}</p>
      )}
      {sections.map((section) => (
        <div key={section}>
          <h3>{section}</h3>
          <ul className="fact-list">
            {items
              .filter((item) => item.section === section)
              .map((item) => (
                <Row key={item.name} item={item} />
              ))}
          </ul>
        </div>
      ))}
    </>
  )
}

function Row({ item: { name, value, source, about, isOverridden, changedIn, ...item } }: { item: SettingInForce }) {
  const isDefault = source === 'default'
  return (
    <li>
      <Mark kind={isDefault ? 'none' : 'running'} size={11} />
      <span>
        <span className="mono">{name}</span>
        <small>{isDefault ? 'its default' : `from ${source}`}</small>
      </span>
      <span>
        <Visible text={value ?? plain(item.default)} />
        <small>
          {plain(about)}. Default: {plain(item.default)}. Changed in {changedIn}.
          {isOverridden === true && ' The value that was saved here does not count.'}
        </small>
      </span>
    </li>
  )
}
