import { Visible } from '../../../ui/boxed.tsx'

/** One of the lists of sites in the draft. Each entry is `HOST:PORT`. */
export function Sites({
  title,
  about,
  sites,
  placeholder,
  onChange,
}: {
  title: string
  about: string
  sites: readonly string[]
  placeholder: string
  onChange: ((sites: string[]) => void) | undefined
}) {
  const add = (form: HTMLFormElement) => {
    const site = String(new FormData(form).get('site') ?? '').trim()
    if (!sites.includes(site)) onChange?.([...sites, site])
    form.reset()
  }
  return (
    <>
      <h3>{title}</h3>
      <p>{about}</p>
      {sites.length > 0 && (
        <ul className="bench-sites">
          {sites.map((site) => (
            <li key={site}>
              <code>
                <Visible text={site} />
              </code>
              {onChange !== undefined && (
                <button
                  type="button"
                  className="button small quiet"
                  aria-label={`Remove ${site}`}
                  onClick={() => onChange(sites.filter((one) => one !== site))}
                >
                  Remove
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {sites.length === 0 && <p>None is listed.</p>}
      {onChange !== undefined && (
        <form
          className="form-row bench-new"
          aria-label={title}
          onSubmit={(event) => {
            event.preventDefault()
            add(event.currentTarget)
          }}
        >
          <label>
            Host and port
            <input className="field mono" name="site" required placeholder={placeholder} autoComplete="off" />
          </label>
          <button type="submit" className="button">
            Add
          </button>
        </form>
      )}
    </>
  )
}
