// SPDX-License-Identifier: Apache-2.0
#include "CEmbeddedFiles.h"

#include <string.h>

// Swift's own embedding makes a literal of each byte, which takes its compiler half a minute of what takes this a moment.

static const unsigned char report_certificate_css[] = {
#embed "../Reporting/Certificate/certificate.css"
};
static const unsigned char report_print_css[] = {
#embed "../Reporting/Certificate/print.css"
};
static const unsigned char report_chart_css[] = {
#embed "../Reporting/Charts/chart.css"
};
static const unsigned char report_chart_js[] = {
#embed "../Reporting/Charts/chart.js"
};
static const unsigned char report_page_js[] = {
#embed "../Reporting/Charts/page.js"
};
static const unsigned char report_view_js[] = {
#embed "../Reporting/Charts/view.js"
};
static const unsigned char report_history_css[] = {
#embed "../Reporting/History/history.css"
};
static const unsigned char report_history_js[] = {
#embed "../Reporting/History/history.js"
};
static const unsigned char report_page_css[] = {
#embed "../Reporting/Page/page.css"
};
static const unsigned char report_plot_css[] = {
#embed "../Reporting/Plot/plot.css"
};
static const unsigned char presets_game_json[] = {
#embed "../../rigs/presets/game.json"
};
static const unsigned char presets_music_json[] = {
#embed "../../rigs/presets/music.json"
};
static const unsigned char presets_ui_json[] = {
#embed "../../rigs/presets/ui.json"
};
static const unsigned char presets_voice_json[] = {
#embed "../../rigs/presets/voice.json"
};
static const unsigned char pages_api_js[] = {
#embed "../Workbench/Pages/api.js"
};
static const unsigned char pages_bench_page_js[] = {
#embed "../Workbench/Pages/bench_page.js"
};
static const unsigned char pages_calibrations_page_js[] = {
#embed "../Workbench/Pages/calibrations_page.js"
};
static const unsigned char pages_chart_js[] = {
#embed "../Workbench/Pages/chart.js"
};
static const unsigned char pages_compare_page_js[] = {
#embed "../Workbench/Pages/compare_page.js"
};
static const unsigned char pages_compose_chart_js[] = {
#embed "../Workbench/Pages/compose_chart.js"
};
static const unsigned char pages_compose_panel_js[] = {
#embed "../Workbench/Pages/compose_panel.js"
};
static const unsigned char pages_composing_js[] = {
#embed "../Workbench/Pages/composing.js"
};
static const unsigned char pages_document_js[] = {
#embed "../Workbench/Pages/document.js"
};
static const unsigned char pages_dom_js[] = {
#embed "../Workbench/Pages/dom.js"
};
static const unsigned char pages_editor_page_js[] = {
#embed "../Workbench/Pages/editor_page.js"
};
static const unsigned char pages_edits_js[] = {
#embed "../Workbench/Pages/edits.js"
};
static const unsigned char pages_event_list_js[] = {
#embed "../Workbench/Pages/event_list.js"
};
static const unsigned char pages_feel_js[] = {
#embed "../Workbench/Pages/feel.js"
};
static const unsigned char pages_fleet_css[] = {
#embed "../Workbench/Pages/fleet.css"
};
static const unsigned char pages_fleet_orders_js[] = {
#embed "../Workbench/Pages/fleet_orders.js"
};
static const unsigned char pages_fleet_page_js[] = {
#embed "../Workbench/Pages/fleet_page.js"
};
static const unsigned char pages_follow_css[] = {
#embed "../Workbench/Pages/follow.css"
};
static const unsigned char pages_follow_page_js[] = {
#embed "../Workbench/Pages/follow_page.js"
};
static const unsigned char pages_follow_strip_js[] = {
#embed "../Workbench/Pages/follow_strip.js"
};
static const unsigned char pages_format_js[] = {
#embed "../Workbench/Pages/format.js"
};
static const unsigned char pages_history_page_js[] = {
#embed "../Workbench/Pages/history_page.js"
};
static const unsigned char pages_icon_svg[] = {
#embed "../Workbench/Pages/icon.svg"
};
static const unsigned char pages_index_html[] = {
#embed "../Workbench/Pages/index.html"
};
static const unsigned char pages_inspector_js[] = {
#embed "../Workbench/Pages/inspector.js"
};
static const unsigned char pages_keys_js[] = {
#embed "../Workbench/Pages/keys.js"
};
static const unsigned char pages_live_page_js[] = {
#embed "../Workbench/Pages/live_page.js"
};
static const unsigned char pages_main_js[] = {
#embed "../Workbench/Pages/main.js"
};
static const unsigned char pages_palette_css[] = {
#embed "../Workbench/Pages/palette.css"
};
static const unsigned char pages_palette_inputs_js[] = {
#embed "../Workbench/Pages/palette_inputs.js"
};
static const unsigned char pages_palette_laws_js[] = {
#embed "../Workbench/Pages/palette_laws.js"
};
static const unsigned char pages_palette_outputs_js[] = {
#embed "../Workbench/Pages/palette_outputs.js"
};
static const unsigned char pages_palette_pad_js[] = {
#embed "../Workbench/Pages/palette_pad.js"
};
static const unsigned char pages_palette_page_js[] = {
#embed "../Workbench/Pages/palette_page.js"
};
static const unsigned char pages_palette_play_js[] = {
#embed "../Workbench/Pages/palette_play.js"
};
static const unsigned char pages_palette_record_js[] = {
#embed "../Workbench/Pages/palette_record.js"
};
static const unsigned char pages_vibration_js[] = {
#embed "../Workbench/Pages/vibration.js"
};
static const unsigned char pages_stage_js[] = {
#embed "../Workbench/Pages/stage.js"
};
static const unsigned char pages_pattern_model_js[] = {
#embed "../Workbench/Pages/pattern_model.js"
};
static const unsigned char pages_patterns_css[] = {
#embed "../Workbench/Pages/patterns.css"
};
static const unsigned char pages_patterns_page_js[] = {
#embed "../Workbench/Pages/patterns_page.js"
};
static const unsigned char pages_run_model_js[] = {
#embed "../Workbench/Pages/run_model.js"
};
static const unsigned char pages_runs_page_js[] = {
#embed "../Workbench/Pages/runs_page.js"
};
static const unsigned char pages_scope_js[] = {
#embed "../Workbench/Pages/scope.js"
};
static const unsigned char pages_socket_js[] = {
#embed "../Workbench/Pages/socket.js"
};
static const unsigned char pages_source_pane_js[] = {
#embed "../Workbench/Pages/source_pane.js"
};
static const unsigned char pages_spectrum_js[] = {
#embed "../Workbench/Pages/spectrum.js"
};
static const unsigned char pages_store_js[] = {
#embed "../Workbench/Pages/store.js"
};
static const unsigned char pages_table_js[] = {
#embed "../Workbench/Pages/table.js"
};
static const unsigned char pages_timeline_js[] = {
#embed "../Workbench/Pages/timeline.js"
};
static const unsigned char pages_timeline_hands_js[] = {
#embed "../Workbench/Pages/timeline_hands.js"
};
static const unsigned char pages_waves_js[] = {
#embed "../Workbench/Pages/waves.js"
};
static const unsigned char pages_words_js[] = {
#embed "../Workbench/Pages/words.js"
};
static const unsigned char pages_workbench_css[] = {
#embed "../Workbench/Pages/workbench.css"
};

static const haprig_file files[] = {
    {"presets/game.json", presets_game_json, sizeof presets_game_json},
    {"presets/music.json", presets_music_json, sizeof presets_music_json},
    {"presets/ui.json", presets_ui_json, sizeof presets_ui_json},
    {"presets/voice.json", presets_voice_json, sizeof presets_voice_json},
    {"report/certificate.css", report_certificate_css, sizeof report_certificate_css},
    {"report/print.css", report_print_css, sizeof report_print_css},
    {"report/chart.css", report_chart_css, sizeof report_chart_css},
    {"report/chart.js", report_chart_js, sizeof report_chart_js},
    {"report/page.js", report_page_js, sizeof report_page_js},
    {"report/view.js", report_view_js, sizeof report_view_js},
    {"report/history.css", report_history_css, sizeof report_history_css},
    {"report/history.js", report_history_js, sizeof report_history_js},
    {"report/page.css", report_page_css, sizeof report_page_css},
    {"report/plot.css", report_plot_css, sizeof report_plot_css},
    {"pages/api.js", pages_api_js, sizeof pages_api_js},
    {"pages/bench_page.js", pages_bench_page_js, sizeof pages_bench_page_js},
    {"pages/calibrations_page.js", pages_calibrations_page_js, sizeof pages_calibrations_page_js},
    {"pages/chart.js", pages_chart_js, sizeof pages_chart_js},
    {"pages/compare_page.js", pages_compare_page_js, sizeof pages_compare_page_js},
    {"pages/compose_chart.js", pages_compose_chart_js, sizeof pages_compose_chart_js},
    {"pages/compose_panel.js", pages_compose_panel_js, sizeof pages_compose_panel_js},
    {"pages/composing.js", pages_composing_js, sizeof pages_composing_js},
    {"pages/document.js", pages_document_js, sizeof pages_document_js},
    {"pages/dom.js", pages_dom_js, sizeof pages_dom_js},
    {"pages/editor_page.js", pages_editor_page_js, sizeof pages_editor_page_js},
    {"pages/edits.js", pages_edits_js, sizeof pages_edits_js},
    {"pages/event_list.js", pages_event_list_js, sizeof pages_event_list_js},
    {"pages/feel.js", pages_feel_js, sizeof pages_feel_js},
    {"pages/fleet.css", pages_fleet_css, sizeof pages_fleet_css},
    {"pages/fleet_orders.js", pages_fleet_orders_js, sizeof pages_fleet_orders_js},
    {"pages/fleet_page.js", pages_fleet_page_js, sizeof pages_fleet_page_js},
    {"pages/follow.css", pages_follow_css, sizeof pages_follow_css},
    {"pages/follow_page.js", pages_follow_page_js, sizeof pages_follow_page_js},
    {"pages/follow_strip.js", pages_follow_strip_js, sizeof pages_follow_strip_js},
    {"pages/format.js", pages_format_js, sizeof pages_format_js},
    {"pages/history_page.js", pages_history_page_js, sizeof pages_history_page_js},
    {"pages/icon.svg", pages_icon_svg, sizeof pages_icon_svg},
    {"pages/index.html", pages_index_html, sizeof pages_index_html},
    {"pages/inspector.js", pages_inspector_js, sizeof pages_inspector_js},
    {"pages/keys.js", pages_keys_js, sizeof pages_keys_js},
    {"pages/live_page.js", pages_live_page_js, sizeof pages_live_page_js},
    {"pages/main.js", pages_main_js, sizeof pages_main_js},
    {"pages/palette.css", pages_palette_css, sizeof pages_palette_css},
    {"pages/palette_inputs.js", pages_palette_inputs_js, sizeof pages_palette_inputs_js},
    {"pages/palette_laws.js", pages_palette_laws_js, sizeof pages_palette_laws_js},
    {"pages/palette_outputs.js", pages_palette_outputs_js, sizeof pages_palette_outputs_js},
    {"pages/palette_pad.js", pages_palette_pad_js, sizeof pages_palette_pad_js},
    {"pages/palette_page.js", pages_palette_page_js, sizeof pages_palette_page_js},
    {"pages/palette_play.js", pages_palette_play_js, sizeof pages_palette_play_js},
    {"pages/palette_record.js", pages_palette_record_js, sizeof pages_palette_record_js},
    {"pages/stage.js", pages_stage_js, sizeof pages_stage_js},
    {"pages/vibration.js", pages_vibration_js, sizeof pages_vibration_js},
    {"pages/pattern_model.js", pages_pattern_model_js, sizeof pages_pattern_model_js},
    {"pages/patterns.css", pages_patterns_css, sizeof pages_patterns_css},
    {"pages/patterns_page.js", pages_patterns_page_js, sizeof pages_patterns_page_js},
    {"pages/run_model.js", pages_run_model_js, sizeof pages_run_model_js},
    {"pages/runs_page.js", pages_runs_page_js, sizeof pages_runs_page_js},
    {"pages/scope.js", pages_scope_js, sizeof pages_scope_js},
    {"pages/socket.js", pages_socket_js, sizeof pages_socket_js},
    {"pages/source_pane.js", pages_source_pane_js, sizeof pages_source_pane_js},
    {"pages/spectrum.js", pages_spectrum_js, sizeof pages_spectrum_js},
    {"pages/store.js", pages_store_js, sizeof pages_store_js},
    {"pages/table.js", pages_table_js, sizeof pages_table_js},
    {"pages/timeline.js", pages_timeline_js, sizeof pages_timeline_js},
    {"pages/timeline_hands.js", pages_timeline_hands_js, sizeof pages_timeline_hands_js},
    {"pages/waves.js", pages_waves_js, sizeof pages_waves_js},
    {"pages/words.js", pages_words_js, sizeof pages_words_js},
    {"pages/workbench.css", pages_workbench_css, sizeof pages_workbench_css},
};
const haprig_file *haprig_embedded_files(void) { return files; }

long haprig_embedded_count(void) { return sizeof files / sizeof files[0]; }

const haprig_file *haprig_embedded(const char *name) {
  for (long i = 0; i < haprig_embedded_count(); i++)
    if (strcmp(files[i].name, name) == 0) return &files[i];
  return 0;
}
