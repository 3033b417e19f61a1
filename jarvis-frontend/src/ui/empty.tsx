type Props = { title: React.ReactNode; children?: React.ReactNode }

/** Stands in place of a list without items, or of a page without a subject. `children` say what to do. */
export const Empty = ({ title, children }: Props) => (
  <section className="empty">
    <h2>{title}</h2>
    {children}
  </section>
)
