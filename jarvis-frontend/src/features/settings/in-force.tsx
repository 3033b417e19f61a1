import type { SettingInForce } from 'protocol'
import { useState } from 'react'
import { exportSettings, settingsInForce } from '../../api/settings.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { Visible } from '../../ui/boxed.tsx'

/** Removes backticks and the addresses of links, which are for Markdown. */
const plain = (text: string) => text.replace(/\[([^[\]]*)\]\([^()[\]]*\)/g, '$1').replaceAll('`', '')

/** Every setting with its value, where it comes from, its default and where it is changed; only those that somebody set, or that fit some words. */
export function SettingsInForce() {
  const [words, setWords] = useState('')
  const [isWhole, setWhole] = useState(false)
  const { data, problem, again } = useLoad('in-force', settingsInForce, ['settings'])
  const wanted = words.trim().toLowerCase()
  const items = (data?.items ?? []).filter(({ name, about, source }) =>
    wanted === '' ? isWhole || source !== 'default' : `${name} ${about}`.toLowerCase().includes(wanted),
  )
  const sections = [...new Set(items.map(({ section }) => section))]
  return (
    <section aria-label="Settings in force">
      <p>
        <input
          className="field"
          type="search"
          aria-label="Search the settings"
          placeholder="Search the settings"
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />{' '}
        <button type="button" className="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Defaults too
        </button>{' '}
        <button
          type="button"
          className="button"
          onClick={() =>
            void exportSettings().catch((error: unknown) => say(error instanceof Error ? error.message : ''))
          }
        >
          Export config.json
        </button>
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined && problem === undefined && <Skeletons rows={8} height={18} />}
      {data !== undefined && items.length === 0 && (
        <p>{wanted === '' ? 'All settings have their default.' : 'No setting has these words.'}</p>
      )}
      {sections.map((section) => (
        <div key={section}>
          <h3>{section}</h3>
          <dl>
            {items
              .filter((item) => item.section === section)
              .map((item) => (
                <Row key={item.name} item={item} />
              ))}
          </dl>
        </div>
      ))}
    </section>
  )
}

function Row({ item: { name, value, source, about, isOverridden, changedIn, ...item } }: { item: SettingInForce }) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        <p>
          <b>
            <Visible text={value ?? plain(item.default)} />
          </b>
          , from {source === 'default' ? 'its default' : source}
          {isOverridden === true && '; what the dashboard saved does not count'}
        </p>
        <p>
          {plain(about)}. Default: {plain(item.default)}. Changed in {changedIn}.
        </p>
      </dd>
    </>
  )
}
