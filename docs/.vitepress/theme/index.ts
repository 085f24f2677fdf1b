/// <reference types="vitepress/client" />
import DefaultTheme from "vitepress/theme";
import "./side-by-side.css";

export default DefaultTheme;
