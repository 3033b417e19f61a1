import type { PictureData } from 'protocol'
import { useEffect, useState } from 'react'
import { imageAddress } from '../../../api/images.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/visible.ts'
import type { Call } from '../runs.ts'
import { Exact } from './exact.tsx'
import { withoutScheme } from './texts.ts'

type Props = { call: Call; picture: PictureData; image: { id: string }; sessionId: string }

/** An element's number is the second part of its reference `1.25`. The first part is the number of its tab. */
const numberOf = (ref: string) => ref.slice(ref.indexOf('.') + 1)

/** A screenshot of a page with the numbers of its elements, and a list with the same numbers. */
export function PictureView({ call, picture, image, sessionId }: Props) {
  const { url, title, tab, width, height, elements } = picture
  const [chosen, setChosen] = useState<string>()
  const [isLarge, setLarge] = useState(false)
  const { address, problem } = useImage(sessionId, image.id)
  const choose = (ref: string | undefined) => setChosen(ref === chosen ? undefined : ref)

  /** Chooses the element nearest to the point that was clicked. */
  const press = (event: React.MouseEvent<HTMLElement>) => {
    const { left, top, width: px } = event.currentTarget.getBoundingClientRect()
    const scale = px / Math.max(1, width)
    const far = ({ x, y }: { x: number; y: number }) =>
      Math.hypot(x * scale - (event.clientX - left), y * scale - (event.clientY - top))
    const [nearest] = [...elements].sort((one, other) => far(one) - far(other))
    if (event.detail > 0 && nearest !== undefined && far(nearest) < 40) choose(nearest.ref)
    else setLarge(!isLarge)
  }
  return (
    <div className={isLarge ? 'marked large' : 'marked'}>
      <figure>
        <figcaption>
          {url.startsWith('https://') && <Icon name="lock" />}
          <code className="cut">{visibleText(withoutScheme(url))}</code>
          <span className="num">tab {tab}</span>
        </figcaption>
        {problem === undefined ? (
          <div className="marked-page" style={{ aspectRatio: `${Math.max(1, width)} / ${Math.max(1, height)}` }}>
            <button
              type="button"
              aria-label={`Picture of ${visibleText(title)}, with ${elements.length} numbers. ${isLarge ? 'Show it small' : 'Show it large'}`}
              aria-expanded={isLarge}
              onClick={press}
            >
              {address !== undefined && <img src={address} alt="" />}
            </button>
            {elements.map(({ ref, x, y }) => (
              <b
                key={ref}
                aria-hidden="true"
                className={ref === chosen ? 'chosen' : ''}
                style={{ left: `${share(x, width)}%`, top: `${share(y, height)}%` }}
              >
                {numberOf(ref)}
              </b>
            ))}
          </div>
        ) : (
          <p className="view-note">The picture is not shown. {problem}</p>
        )}
      </figure>
      <div className="marked-list">
        {elements.length === 0 ? (
          <p className="view-note">Nothing in this picture can be acted on.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, by keyboard too
          <ol tabIndex={0} aria-label="Elements in the picture">
            {elements.map(({ ref, role, name, leadsTo }) => (
              <li key={ref}>
                <button type="button" aria-pressed={ref === chosen} onClick={() => choose(ref)}>
                  <span className="num">{numberOf(ref)}</span>
                  <span>
                    <Visible text={role} />{' '}
                    {name === '' ? (
                      'without a name'
                    ) : (
                      <bdi>
                        “<Visible text={name} />”
                      </bdi>
                    )}{' '}
                    <small>{leadsTo ? 'opens a page' : isClicked(role) ? 'a click here asks' : ''}</small>
                  </span>
                </button>
              </li>
            ))}
          </ol>
        )}
        <Exact call={call}>
          <span>The site’s own picture and words. Its own profile without cookies; ends after 10 min idle.</span>
        </Exact>
      </div>
    </div>
  )
}

const share = (at: number, whole: number) => Math.min(100, Math.max(0, (at / Math.max(1, whole)) * 100))
/** True if a person would click an element of this role. Only for such elements the list says that a click asks: filling a field needs no card. */
const isClicked = (role: string) => !/^(?:textbox|searchbox|combobox|listbox|spinbutton|option|slider)$/.test(role)

function useImage(sessionId: string, id: string) {
  const [state, setState] = useState<{ address?: string; problem?: string }>({})
  useEffect(() => {
    let isHere = true
    imageAddress(sessionId, id).then(
      (address) => isHere && setState({ address }),
      (error: Error) => isHere && setState({ problem: error.message }),
    )
    return () => {
      isHere = false
    }
  }, [sessionId, id])
  return state
}
