/** The frame of an app's request, and its placeholder while the session and the code of the request load. */
import type { ComponentChildren } from 'preact';
import { Logo } from '../brand.tsx';

export const ConnectFrame = ({ children }: { children: ComponentChildren }) => (
  <main class="sign-in is-top">
    <Logo />
    {children}
  </main>
);

export const CardSkeleton = () => (
  <section class="card consent" aria-busy="true">
    <p class="visually-hidden">Loading</p>
    <div class="bone bone-name" />
    <div class="bone bone-facts" />
    <div class="bone bone-facts" />
  </section>
);

export const ConnectSkeleton = () => (
  <ConnectFrame>
    <CardSkeleton />
  </ConnectFrame>
);
