/** A key icon: the person proved their identity. It is in its own file so that the first page need not load it. */
export const KeyMark = ({ label }: { label?: string }) => (
  <>
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM7.5 8h6M11.5 8v2.5" />
    </svg>
    {label !== undefined && <span className="vh">{label}</span>}
  </>
)
