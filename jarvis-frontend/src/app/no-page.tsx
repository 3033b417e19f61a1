import { useLocation } from '../lib/location.tsx'
import { Visible } from '../ui/boxed.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePagesIn } from './here.ts'
import { PageHead } from './page-head.tsx'

/** The page of an address that no page has. */
export function NoPage() {
  const { pathname } = useLocation()
  const onward = [...usePagesIn('rail'), ...usePagesIn('foot')]
  return (
    <>
      <PageHead title="No such page">
        <span className="flex-1" />
      </PageHead>
      <section className="page scroll empty">
        <h2 className="wrap-anywhere">
          There is no page at <Visible text={pathname} />
        </h2>
        <nav className="flex flex-wrap justify-center gap-2" aria-label="Pages">
          {onward.map(({ path, title, icon }) => (
            <Link key={path} to={path} className="button">
              <Icon name={icon} /> {title}
            </Link>
          ))}
        </nav>
      </section>
    </>
  )
}
