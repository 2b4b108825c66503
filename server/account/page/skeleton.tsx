/** Placeholders while the page loads; they prevent layout shifts. */
export function Skeleton() {
  return (
    <div aria-busy="true">
      <div class="header">
        <div class="header-inner" />
      </div>
      <main class="main">
        <p class="visually-hidden">Loading</p>
        <div class="page-head">
          <div class="bone bone-title" />
        </div>
        <KeySkeletons />
      </main>
    </div>
  );
}

/** In place of an app's request. */
export const CardSkeleton = () => (
  <section class="card consent" aria-busy="true">
    <p class="visually-hidden">Loading</p>
    <div class="bone bone-name" />
    <div class="bone bone-facts" />
    <div class="bone bone-facts" />
  </section>
);

export function KeySkeletons() {
  return (
    <div class="panel" aria-hidden="true">
      {[0, 1, 2].map((row) => (
        <div class="item" key={row}>
          <div class="bone bone-name" />
          <div class="bone bone-line" />
          <div class="bone bone-facts" />
        </div>
      ))}
    </div>
  );
}
