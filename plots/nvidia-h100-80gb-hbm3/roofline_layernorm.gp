# A roofline with its data. Draw it again: gnuplot roofline_layernorm.gp
if (!exists("svg")) svg = "roofline_layernorm.svg"
if (!exists("png")) png = "roofline_layernorm.png"
set encoding utf8
$points << EOD
1.07359 1.13867e+11
1.07673 1.2044e+12
1.07752 2.74468e+12
1.07765 2.95725e+12
2.14717 1.07282e+11
2.15346 1.28485e+12
2.15503 4.32591e+12
2.1553 5.74634e+12
1.15709 9.12321e+10
1.16048 8.89437e+11
1.16133 1.99125e+12
1.16147 1.86001e+12
2.31418 9.70065e+10
2.32095 1.10675e+12
2.32265 3.57452e+12
2.32294 3.63056e+12
1.24709 1.21795e+11
1.25074 1.17406e+12
1.25165 2.71068e+12
1.25181 2.93009e+12
2.49418 1.17089e+11
2.50148 1.43e+12
2.50331 4.75421e+12
2.50361 5.7203e+12
0.79564 5.57855e+09
0.797968 2.41448e+10
0.798553 9.24281e+10
0.79865 1.8679e+11
1.59128 4.7827e+09
1.59594 2.00213e+10
1.59711 8.12453e+10
1.5973 1.62806e+11
0.857525 8.7335e+10
0.860034 8.53722e+11
0.860664 2.14564e+12
0.860769 1.60817e+12
1.71505 8.68891e+10
1.72007 8.86255e+11
1.72133 2.64613e+12
1.72154 2.72736e+12
0.924223 9.56439e+10
0.926928 8.60843e+11
0.927607 1.70932e+12
0.92772 1.83662e+12
1.84845 1.04243e+11
1.85386 1.17318e+12
1.85521 3.26708e+12
1.85544 3.30151e+12
0.996109 1.18654e+11
0.999024 1.24021e+12
0.999756 2.70609e+12
0.999878 2.94393e+12
1.99222 1.20606e+11
1.99805 1.49915e+12
1.99951 4.87402e+12
1.99976 5.67764e+12
EOD
$lines << EOD
0.1 8.0044e+11
7.88194 6.30902e+13


0.1 3.01396e+11
20.9327 6.30902e+13


0.1 3.1167e+11
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.738221 3.10458e+12
1.34409 3.10458e+12


1.47644 6.20915e+12
2.68817 6.20915e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.1:100]
set yrange [2e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of layernorm: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.109313, 1.07854e+12 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.117575, 2.75709e+11 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.109313, 4.19955e+11 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 93.5587, 7.64355e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::35-1::35-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::36-1::36-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::37-1::37-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.95 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.25 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
