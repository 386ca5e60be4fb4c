import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from "react";

export interface Collaborator {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  avatar: string | null;
}

/** What a screen shows in the top bar. */
export interface TopBarContent {
  /** The address of the back link. */
  back?: string | undefined;
  project?: string | undefined;
  graph?: string | undefined;
  members?: readonly Collaborator[] | undefined;
  /** Whom this person follows, and how they begin or end it. */
  following?: string | null | undefined;
  onFollow?: ((username: string) => void) | undefined;
}

const nothing: TopBarContent = {};
const ContentContext = createContext<TopBarContent>(nothing);
const SetContentContext = createContext<(content: TopBarContent) => void>(() => undefined);

export function TopBarProvider({ children }: { children: ReactNode }) {
  const [content, setContent] = useState(nothing);
  return (
    <SetContentContext value={setContent}>
      <ContentContext value={content}>{children}</ContentContext>
    </SetContentContext>
  );
}

/** Sets the top bar's content while the screen is mounted. Keep `members` stable between renders. */
export function useTopBar({ back, project, graph, members, following, onFollow }: TopBarContent): void {
  const setContent = useContext(SetContentContext);
  useLayoutEffect(() => {
    setContent({ back, project, graph, members, following, onFollow });
    return () => setContent(nothing);
  }, [setContent, back, project, graph, members, following, onFollow]);
}

export function useTopBarContent(): TopBarContent {
  return useContext(ContentContext);
}
